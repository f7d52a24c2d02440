#include "compare/suspicions/suspicion_grid.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace safestructures::inline v0::comparing {
namespace {

// The fewest numbers per index of a dimension that is looked at as a whole.
constexpr std::size_t least_others = 8;
// A few cache lines.
constexpr std::size_t usual_run = 64;
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

std::vector<std::size_t> indices_of(std::uint64_t number, const Shape& shape) {
  std::vector<std::size_t> found(shape.size());
  for (std::size_t dimension = shape.size(); dimension-- > 0;) {
    found[dimension] = static_cast<std::size_t>(number % shape[dimension]);
    number /= shape[dimension];
  }
  return found;
}

/// Returns `count` of a dimension's indices, including `with`.
IndexGrid::Indices spread(std::size_t count, std::size_t size, std::size_t with) {
  IndexGrid::Indices made{0, size / count, count, size};
  const std::size_t place = with / made.step;
  made.first = with % made.step + (place < count ? 0 : (place - count + 1) * made.step);
  return made;
}

IndexGrid::Indices run_of(std::size_t count, std::size_t size, std::size_t with) {
  return {std::min(with / count * count, size - count), 1, count, size};
}

/// \param whole the dimension with all its indices, or `none`
IndexGrid grid_with(const Shape& shape, std::size_t whole, const std::vector<std::size_t>& worst) {
  std::vector<IndexGrid::Indices> dimensions(shape.size());
  std::size_t left = usual_in_grid;
  if (whole != none) {
    const auto size = static_cast<std::size_t>(shape[whole]);
    dimensions[whole] = {0, 1, size, size};
    left = std::max(usual_in_grid / size, least_others);
  }
  // Consecutive numbers: scattered ones take longer to read than to look at.
  std::size_t run = 1;
  for (std::size_t dimension = shape.size(); dimension-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[dimension]);
    if (dimension != whole) {
      const bool is_last = dimension + 1 == shape.size();
      const std::size_t most = is_last && whole != none ? std::min(left, usual_run) : left;
      const std::size_t count = std::min(size, most);
      const bool is_run = is_last || run < usual_run;
      dimensions[dimension] = (is_run ? run_of : spread)(count, size, worst[dimension]);
      left = std::max<std::size_t>(left / count, 1);
    }
    run *= dimensions[dimension].count;
  }
  return IndexGrid(std::move(dimensions));
}

}  // namespace

IndexGrid::IndexGrid(const Shape& shape) {
  for (const std::uint64_t size : shape) {
    const auto count = static_cast<std::size_t>(size);
    dimensions_.push_back({0, 1, count, count});
  }
  if (dimensions_.empty()) dimensions_.emplace_back();
}

std::vector<std::size_t> IndexGrid::shape() const {
  std::vector<std::size_t> made;
  made.reserve(dimensions_.size());
  for (const Indices& dimension : dimensions_) made.push_back(dimension.count);
  return made;
}

std::size_t IndexGrid::size() const noexcept {
  std::size_t size = 1;
  for (const Indices& dimension : dimensions_) size *= dimension.count;
  return size;
}

std::uint64_t IndexGrid::whole_size() const noexcept {
  std::uint64_t size = 1;
  for (const Indices& dimension : dimensions_) size *= dimension.size;
  return size;
}

std::uint64_t IndexGrid::cost() const noexcept {
  // A read of 128 bytes from the page cache takes 0.5 us, processing a number some nanoseconds.
  constexpr std::uint64_t of_run = 128;
  // Permutations are tried on up to this many numbers, whatever the size.
  constexpr std::uint64_t of_each_tried = 8;
  constexpr std::uint64_t most_tried = 4096;
  return size() + of_run * (size() / run_length()) +
         of_each_tried * std::min<std::uint64_t>(size(), most_tried);
}

std::size_t IndexGrid::run_length() const noexcept {
  std::size_t length = 1;
  for (std::size_t i = dimensions_.size(); i-- > 0;) {
    if (dimensions_[i].step != 1) break;
    length *= dimensions_[i].count;
    if (!dimensions_[i].is_whole()) break;
  }
  return length;
}

std::uint64_t IndexGrid::index_of(std::size_t place) const noexcept {
  std::uint64_t index = 0;
  std::uint64_t stride = 1;
  for (std::size_t i = dimensions_.size(); i-- > 0;) {
    index += dimensions_[i].at(place % dimensions_[i].count) * stride;
    place /= dimensions_[i].count;
    stride *= dimensions_[i].size;
  }
  return index;
}

std::vector<IndexGrid> grids_of(const Shape& shape, std::uint64_t worst) {
  IndexGrid whole(shape);
  if (whole.size() <= usual_in_grid) return {std::move(whole)};
  const std::vector<std::size_t> indices = indices_of(worst, shape);
  std::vector<IndexGrid> grids;
  // Most faults affect the last dimension.
  for (std::size_t dimension = shape.size(); dimension-- > 0;)
    if (shape[dimension] > 1 && shape[dimension] <= most_in_dimension)
      grids.push_back(grid_with(shape, dimension, indices));
  if (grids.empty()) grids.push_back(grid_with(shape, none, indices));
  // If the tensor has only a few times as many numbers, reading all is faster than many runs.
  std::uint64_t cost = 0;
  for (const IndexGrid& grid : grids) cost += grid.cost();
  if (whole.cost() <= cost) return {std::move(whole)};
  return grids;
}

}  // namespace safestructures::inline v0::comparing
