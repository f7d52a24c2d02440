/// \file
/// The numbers of one of two tensors, range by range, in the form in which both are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::comparing {

/// The form in which both sides are compared: one that tells all their numbers apart.
enum class Common : std::uint8_t { real, complex, integer };

Common common_of(DType a, DType b);

/// An integer of 64 bits of either sign.
struct Integer {
  bool is_negative;
  std::uint64_t magnitude;
};

/// a - b, which is 0 only where they are equal.
double difference(const Integer& a, const Integer& b);

class Side {
 public:
  /// \param room numbers that are loaded at once
  Side(const Tensor& tensor, Common common, std::size_t room)
      : tensor_(tensor),
        common_(common),
        most_(room),
        is_there_(tensor.is_loaded() && tensor.is_contiguous()) {}

  /// Has the bytes of a range at hand, which `bytes`, `load` and `floats` take parts of.
  void read(std::uint64_t first, std::uint64_t count);

  /// A part of them; `first` is a multiple of eight.
  [[nodiscard]] std::span<const std::byte> bytes(std::uint64_t first, std::uint64_t count) const {
    return bytes_.subspan(packed(first - first_), packed(count));
  }

  /// Has a part of them in `numbers`.
  void load(std::uint64_t first, std::uint64_t count);

  /// A part of what was read, of a dtype whose numbers are floats: those of the tensor itself where
  /// they are floats and fill whole lanes, or a copy, filled up with zeros.
  [[nodiscard]] const std::byte* floats(std::uint64_t first, std::uint64_t count);

  /// Of the range that was loaded last.
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
  /// Most blocks are looked at as they are; for a small tensor zeros take as long as its numbers.
  void make_room();
  [[nodiscard]] std::size_t packed(std::uint64_t count) const {
    return static_cast<std::size_t>(count * bit_width(tensor_.dtype()) / 8);
  }

  const Tensor& tensor_;
  Common common_;
  std::size_t most_;
  bool is_there_;
  std::vector<std::byte> room_;
  std::span<const std::byte> bytes_;  // What is at hand: all where that is there.
  std::uint64_t first_ = 0;           // Of its elements.
  std::vector<float> floats_;         // Of complex numbers, or converted.
  std::vector<std::uint64_t> words_;
};

}  // namespace safestructures::inline v0::comparing
