/// \file
/// Selects which numbers of a large tensor are checked for the usual faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <safestructures/data/shape.hpp>

namespace safestructures::inline v0::comparing {

/// Some indices of each dimension of a tensor. Their numbers form a smaller tensor of the same
/// layer.
class IndexGrid {
 public:
  /// Evenly spread indices of a dimension.
  struct Indices {
    std::size_t first = 0;
    std::size_t step = 1;
    std::size_t count = 1;
    std::size_t size = 1;  ///< The size of the tensor's dimension.

    [[nodiscard]] std::size_t at(std::size_t i) const noexcept { return first + i * step; }
    [[nodiscard]] bool is_whole() const noexcept { return count == size; }
  };

  /// Selects the whole tensor; a scalar counts as one dimension.
  explicit IndexGrid(const Shape& shape);
  explicit IndexGrid(std::vector<Indices> dimensions) : dimensions_(std::move(dimensions)) {}

  [[nodiscard]] const std::vector<Indices>& dimensions() const noexcept { return dimensions_; }
  [[nodiscard]] std::vector<std::size_t> shape() const;
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::uint64_t whole_size() const noexcept;
  [[nodiscard]] bool is_whole() const noexcept { return size() == whole_size(); }

  /// Returns the cost of looking at it, in numbers: each run is a read of the file.
  [[nodiscard]] std::uint64_t cost() const noexcept;

  /// Calls `take(begin, index, count)` for runs of consecutive numbers, which start at `index` in
  /// the tensor and at `begin` in the grid.
  template <class Take>
  void for_each_run(const Take& take) const {
    const std::size_t length = run_length();
    const std::size_t all = size();
    for (std::size_t begin = 0; begin < all; begin += length) take(begin, index_of(begin), length);
  }

 private:
  [[nodiscard]] std::size_t run_length() const noexcept;
  /// Returns the index in the tensor of a place in the grid.
  [[nodiscard]] std::uint64_t index_of(std::size_t place) const noexcept;

  std::vector<Indices> dimensions_;
};

/// The approximate size of a grid.
inline constexpr std::size_t usual_in_grid = std::size_t{1} << 16U;
/// Dimensions with more indices than this are never looked at as a whole.
inline constexpr std::size_t most_in_dimension = std::size_t{1} << 17U;

/// Returns a grid of the whole tensor if it costs no more; for a larger one, a grid for each
/// dimension, with all its indices and some of the others', including those of `worst`, an index
/// into all numbers.
std::vector<IndexGrid> grids_of(const Shape& shape, std::uint64_t worst);

}  // namespace safestructures::inline v0::comparing
