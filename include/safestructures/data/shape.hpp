/// \file
/// The sizes of a tensor's dimensions, outermost first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// Sizes of a tensor's dimensions, outermost first; empty for a scalar tensor (rank 0).
///
/// Up to four dimensions are held without an allocation.
class SAFESTRUCTURES_API Shape {
 public:
  /// Of rank 0.
  Shape() noexcept {}
  /// Of these sizes, which are copied.
  /// @{
  Shape(std::initializer_list<std::uint64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const std::uint64_t> dims) {
    if (dims.size() > inline_rank) heap_ = new std::uint64_t[dims.size()];
    rank_ = dims.size();
    std::copy(dims.begin(), dims.end(), rank_ > inline_rank ? heap_ : inline_);
  }
  /// @}
  /// A shape that was moved from is of rank 0.
  /// @{
  Shape(const Shape& other) : Shape(other.span()) {}
  Shape(Shape&& other) noexcept { take(other); }
  Shape& operator=(const Shape& other) {
    if (this != &other) *this = Shape(other);
    return *this;
  }
  Shape& operator=(Shape&& other) noexcept {
    if (this == &other) return *this;
    release();
    take(other);
    return *this;
  }
  /// @}
  ~Shape() { release(); }

  /// The number of dimensions.
  [[nodiscard]] std::size_t size() const noexcept { return rank_; }
  /// True for rank 0: no dimension, and yet one element.
  [[nodiscard]] bool empty() const noexcept { return rank_ == 0; }
  /// The range of the sizes; valid as `span()`.
  /// @{
  [[nodiscard]] const std::uint64_t* begin() const noexcept { return data(); }
  [[nodiscard]] const std::uint64_t* end() const noexcept { return data() + rank_; }
  /// @}
  /// The size of dimension `index`, which must be below `size()`.
  [[nodiscard]] std::uint64_t operator[](std::size_t index) const noexcept { return data()[index]; }
  /// The sizes; valid as long as this object is neither changed nor destroyed.
  [[nodiscard]] std::span<const std::uint64_t> span() const noexcept { return {data(), rank_}; }

  /// Same rank and sizes.
  [[nodiscard]] friend bool operator==(const Shape& a, const Shape& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr std::size_t inline_rank = 4;
  [[nodiscard]] const std::uint64_t* data() const noexcept {
    return rank_ <= inline_rank ? inline_ : heap_;
  }
  void release() noexcept {
    if (rank_ > inline_rank) delete[] heap_;
    rank_ = 0;
  }
  void take(Shape& other) noexcept {
    if (other.rank_ > inline_rank) heap_ = other.heap_;
    else std::copy_n(other.inline_, inline_rank, inline_);  // All four: no loop.
    rank_ = std::exchange(other.rank_, 0);
  }

  std::size_t rank_ = 0;
  union {
    std::uint64_t inline_[inline_rank] = {};
    std::uint64_t* heap_;
  };
};

/// `"[2, 3]"`, as Python prints a list.
SAFESTRUCTURES_API std::string to_string(const Shape& shape);

/// The number of elements: the product of the sizes, 1 for rank 0.
/// \throws Error `invalid_shape` when the product passes 2^63 - 1. Sizes of 0 are left out of that
/// check, so that no product of some of the sizes can overflow either.
SAFESTRUCTURES_API std::uint64_t element_count(const Shape& shape);

/// Bytes that `shape` takes in `dtype`, packed. The format's rule: the bits must fill whole bytes.
/// \throws Error `invalid_shape` when the size passes 2^63 - 1 or is not a whole number of bytes.
SAFESTRUCTURES_API std::uint64_t byte_size(DType dtype, const Shape& shape);

}  // namespace safestructures::inline v0
