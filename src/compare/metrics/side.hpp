/// \file
/// The numbers of one of two tensors, range by range, in the form used to compare both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::comparing {

/// The form in which both sides are compared; it distinguishes all their numbers.
enum class Common : std::uint8_t { real, complex, integer };

Common common_of(DType a, DType b);

/// A signed or unsigned 64-bit integer.
struct Integer {
  bool is_negative;
  std::uint64_t magnitude;
};

/// Returns a - b, which is 0 only if both are equal.
double difference(const Integer& a, const Integer& b);

class Side {
 public:
  /// \param room the most numbers loaded at once
  Side(const Tensor& tensor, Common common, std::size_t room)
      : tensor_(tensor),
        common_(common),
        most_(room),
        is_there_(tensor.is_loaded() && tensor.is_contiguous()) {}

  /// Makes the bytes of a range available to `bytes`, `load` and `floats`.
  void read(std::uint64_t first, std::uint64_t count);

  /// Returns a part of the bytes. `first` is a multiple of eight.
  [[nodiscard]] std::span<const std::byte> bytes(std::uint64_t first, std::uint64_t count) const {
    return bytes_.subspan(packed(first - first_), packed(count));
  }

  /// Loads a part of the range into `numbers`.
  void load(std::uint64_t first, std::uint64_t count);

  /// Returns a part of the range as floats; its dtype must be representable as floats. Points into
  /// the tensor if that holds floats and the part fills whole lanes, otherwise to a copy padded
  /// with zeros.
  [[nodiscard]] const std::byte* floats(std::uint64_t first, std::uint64_t count);
  /// Returns a copy of a part of the range, valid until the next call, padded with zeros.
  [[nodiscard]] std::span<float> copied_floats(std::uint64_t first, std::uint64_t count);

  /// Returns a number of the last loaded range.
  [[nodiscard]] Integer integer(std::size_t i) const {
    const std::uint64_t word = words_[i];
    const bool is_negative = !is_wide() && word >> 63U != 0;
    return {is_negative, is_negative ? std::uint64_t{0} - word : word};
  }

  std::vector<double> numbers;

 private:
  [[nodiscard]] bool is_wide() const { return tensor_.dtype() == DType::U64; }
  template <class T>
  void copy(std::uint64_t first, std::uint64_t count, DType dtype, std::span<T> into);
  /// Grows the buffer only when needed: most blocks are used in place, and for a small tensor
  /// zeroing takes as long as its numbers.
  void make_room();
  [[nodiscard]] std::size_t packed(std::uint64_t count) const {
    return static_cast<std::size_t>(count * bit_width(tensor_.dtype()) / 8);
  }

  const Tensor& tensor_;
  Common common_;
  std::size_t most_;
  bool is_there_;
  std::vector<std::byte> room_;
  std::span<const std::byte> bytes_;  // The available bytes: all of them if `is_there_`.
  std::uint64_t first_ = 0;           // The index of their first element.
  std::vector<float> floats_;         // Complex numbers, or converted ones.
  std::vector<std::uint64_t> words_;
};

}  // namespace safestructures::inline v0::comparing
