/// \file
/// Conversions from floating-point dtypes of one byte using a table of their 256 codes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <safestructures/data/convert.hpp>

namespace safestructures::inline v0::detail {

/// The conversion of each code of a floating-point dtype of one byte. From 16 Ki numbers on,
/// building it is worthwhile: 0.3 to 0.5 ns per number instead of 2.5 to 3.5.
class CodeTable {
 public:
  /// Below this number of elements a table does not pay.
  static constexpr std::uint64_t least_elements = std::uint64_t{1} << 14U;
  /// Whether tables support a pair of dtypes: the target has at least 16 bits.
  static bool is_for(DType from, DType to) noexcept;

  /// \pre `is_for(from, to)`
  CodeTable(DType from, DType to);

  /// Gives the same results as `convert_exactly`, bit for bit. \throws Error as `convert_exactly`
  ConversionReport convert(const std::byte* source, std::byte* target, std::uint64_t count,
                           Overflow overflow, std::uint64_t first) const;

 private:
  DType from_;
  DType to_;
  std::size_t width_;
  std::array<std::byte, std::size_t{256} * 8> targets_;
  // Whether a code needs more than its target value, such as counting or an error.
  std::array<std::uint8_t, 256> is_special_{};
};

}  // namespace safestructures::inline v0::detail
