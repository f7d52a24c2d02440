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

/// The sizes of a tensor's dimensions, outermost first; empty for a scalar tensor (rank 0).
///
/// Up to four dimensions are stored without an allocation.
class SAFESTRUCTURES_API Shape {
 public:
  /// Makes a shape of rank 0.
  Shape() noexcept {}
  /// Copies the given sizes.
  /// @{
  Shape(std::initializer_list<std::uint64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const std::uint64_t> dims) {
    if (dims.size() > inline_rank) heap_ = new std::uint64_t[dims.size()];
    rank_ = dims.size();
    std::copy(dims.begin(), dims.end(), rank_ > inline_rank ? heap_ : inline_);
  }
  /// @}
  /// A moved-from shape has rank 0.
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
  /// Whether the rank is 0; such a shape still has one element.
  [[nodiscard]] bool empty() const noexcept { return rank_ == 0; }
  /// The sizes as a range; valid as long as `span()`.
  /// @{
  [[nodiscard]] const std::uint64_t* begin() const noexcept { return data(); }
  [[nodiscard]] const std::uint64_t* end() const noexcept { return data() + rank_; }
  /// @}
  /// The size of dimension `index`, which must be below `size()`.
  [[nodiscard]] std::uint64_t operator[](std::size_t index) const noexcept { return data()[index]; }
  /// The sizes; valid as long as this object is neither changed nor destroyed.
  [[nodiscard]] std::span<const std::uint64_t> span() const noexcept { return {data(), rank_}; }

  /// Whether rank and sizes are the same.
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

/// Returns the shape as text, like a Python list: `"[2, 3]"`.
SAFESTRUCTURES_API std::string to_string(const Shape& shape);

/// Returns the number of elements: the product of the sizes, 1 for rank 0.
/// \throws Error `invalid_shape` if the product of the nonzero sizes exceeds 2^63 - 1, so that no
/// product of some of the sizes can overflow either
SAFESTRUCTURES_API std::uint64_t element_count(const Shape& shape);

/// Returns the number of bytes of a packed tensor. As the format demands, the bits must fill whole
/// bytes.
/// \throws Error `invalid_shape` if the size exceeds 2^63 - 1 or is not a whole number of bytes
SAFESTRUCTURES_API std::uint64_t byte_size(DType dtype, const Shape& shape);

}  // namespace safestructures::inline v0
