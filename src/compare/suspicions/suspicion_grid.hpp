/// \file
/// Which numbers of a large tensor are looked at for the usual faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <safestructures/data/shape.hpp>

namespace safestructures::inline v0::comparing {

/// Some indices of each dimension of a tensor: their numbers are a smaller tensor of the same
/// layer.
class IndexGrid {
 public:
  /// Evenly spread indices of a dimension.
  struct Indices {
    std::size_t first = 0;
    std::size_t step = 1;
    std::size_t count = 1;
    std::size_t size = 1;  ///< Of the tensor's dimension.

    [[nodiscard]] std::size_t at(std::size_t i) const noexcept { return first + i * step; }
    [[nodiscard]] bool is_whole() const noexcept { return count == size; }
  };

  /// All of a tensor; of a scalar as of one dimension.
  explicit IndexGrid(const Shape& shape);
  explicit IndexGrid(std::vector<Indices> dimensions) : dimensions_(std::move(dimensions)) {}

  [[nodiscard]] const std::vector<Indices>& dimensions() const noexcept { return dimensions_; }
  [[nodiscard]] std::vector<std::size_t> shape() const;
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::uint64_t whole_size() const noexcept;
  [[nodiscard]] bool is_whole() const noexcept { return size() == whole_size(); }

  /// What it takes to look at it, in numbers: each run is a read of the file.
  [[nodiscard]] std::uint64_t cost() const noexcept;

  /// Calls `take(begin, index, count)` for runs of numbers that follow each other in the tensor
  /// from `index` on, and in the grid from `begin` on.
  template <class Take>
  void for_each_run(const Take& take) const {
    const std::size_t length = run_length();
    const std::size_t all = size();
    for (std::size_t begin = 0; begin < all; begin += length) take(begin, index_of(begin), length);
  }

 private:
  [[nodiscard]] std::size_t run_length() const noexcept;
  /// Of the number at a place of the grid.
  [[nodiscard]] std::uint64_t index_of(std::size_t place) const noexcept;

  std::vector<Indices> dimensions_;
};

/// Numbers of a grid, about.
inline constexpr std::size_t usual_in_grid = std::size_t{1} << 16U;
/// A dimension of more indices than this is nowhere looked at as a whole.
inline constexpr std::size_t most_in_dimension = std::size_t{1} << 17U;

/// All of a tensor where that costs no more; of a larger one a grid for each dimension, of which it
/// has all indices and of the others some, `worst` among them: an index into all numbers.
std::vector<IndexGrid> grids_of(const Shape& shape, std::uint64_t worst);

}  // namespace safestructures::inline v0::comparing
