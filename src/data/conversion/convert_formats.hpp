/// \file
/// Uniform access to single elements of every dtype, including packed ones.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <safestructures/data/dtype.hpp>

namespace safestructures::inline v0::detail {

/// F32 with the interface of `MinifloatFormat`.
struct Binary32Format {
  using Bits = std::uint32_t;
  static constexpr Specials kind = Specials::ieee;
  static constexpr unsigned width = 32;
  static constexpr bool has_sign = true;
  static constexpr bool has_nan = true;

  static Bits encode(double value) noexcept {
    return std::bit_cast<Bits>(static_cast<float>(value));
  }
  static double decode(Bits code) noexcept { return std::bit_cast<float>(code); }
  static bool overflows(double value) noexcept {
    return std::isfinite(value) && !std::isfinite(static_cast<float>(value));
  }
  static Bits saturated(double value) noexcept {
    return encode(std::copysign(double{std::numeric_limits<float>::max()}, value));
  }
  static double largest_number() noexcept { return std::numeric_limits<float>::max(); }
};

/// F64 with the interface of `MinifloatFormat`.
struct Binary64Format {
  using Bits = std::uint64_t;
  static constexpr Specials kind = Specials::ieee;
  static constexpr unsigned width = 64;
  static constexpr bool has_sign = true;
  static constexpr bool has_nan = true;

  static Bits encode(double value) noexcept { return std::bit_cast<Bits>(value); }
  static double decode(Bits code) noexcept { return std::bit_cast<double>(code); }
  static bool overflows(double) noexcept { return false; }
  static Bits saturated(double value) noexcept { return encode(value); }
  static double largest_number() noexcept { return std::numeric_limits<double>::max(); }
};

/// C64 as its real part: a code has the imaginary part in its upper half, which `encode` sets to
/// zero.
struct Complex64Format : Binary32Format {
  using Bits = std::uint64_t;
  static constexpr unsigned width = 64;

  static Bits encode(double value) noexcept { return Binary32Format::encode(value); }
  static double decode(Bits code) noexcept {
    return Binary32Format::decode(static_cast<Binary32Format::Bits>(code));
  }
  static float imaginary(Bits code) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(code >> 32U));
  }
  static Bits saturated(double value) noexcept { return Binary32Format::saturated(value); }
};

/// Returns the largest number of a format.
template <class Format>
double largest_number() noexcept {
  if constexpr (Format::width < 32) {
    return Format::decode(static_cast<typename Format::Bits>(Format::largest));
  } else {
    return Format::largest_number();
  }
}

/// Returns the lowest number of a format; for E8M0 the smallest.
template <class Format>
double lowest_number() noexcept {
  if constexpr (Format::has_sign) return -largest_number<Format>();
  else return Format::decode(0);
}

/// Calls `function` with the format of a dtype: F4 to F64 or C64.
template <class Function>
void with_format(DType dtype, const Function& function) {
  switch (dtype) {
    case DType::F4: return function(Float4E2M1Format{});
    case DType::F6_E2M3: return function(Float6E2M3Format{});
    case DType::F6_E3M2: return function(Float6E3M2Format{});
    case DType::F8_E5M2: return function(Float8E5M2Format{});
    case DType::F8_E4M3: return function(Float8E4M3Format{});
    case DType::F8_E8M0: return function(Float8E8M0Format{});
    case DType::F8_E4M3FNUZ: return function(Float8E4M3FnuzFormat{});
    case DType::F8_E5M2FNUZ: return function(Float8E5M2FnuzFormat{});
    case DType::F16: return function(HalfFormat{});
    case DType::BF16: return function(Bfloat16Format{});
    case DType::F32: return function(Binary32Format{});
    case DType::F64: return function(Binary64Format{});
    case DType::C64: return function(Complex64Format{});
    default: return;
  }
}

/// Calls `function` with a zero of the type of a dtype: BOOL, or I8 to U64.
template <class Function>
void with_integer(DType dtype, const Function& function) {
  switch (dtype) {
    case DType::BOOL: return function(bool{});
    case DType::U8: return function(std::uint8_t{});
    case DType::I8: return function(std::int8_t{});
    case DType::U16: return function(std::uint16_t{});
    case DType::I16: return function(std::int16_t{});
    case DType::U32: return function(std::uint32_t{});
    case DType::I32: return function(std::int32_t{});
    case DType::U64: return function(std::uint64_t{});
    case DType::I64: return function(std::int64_t{});
    default: return;
  }
}

/// Returns the element at an index; element 0 must start on a byte.
template <class Bits>
Bits load(const std::byte* source, std::size_t index) noexcept {
  Bits bits;
  std::memcpy(&bits, source + index * sizeof(Bits), sizeof(Bits));
  return bits;
}

/// Stores an element at an index.
template <class Bits>
void store(std::byte* target, std::size_t index, Bits bits) noexcept {
  std::memcpy(target + index * sizeof(Bits), &bits, sizeof(Bits));
}

/// Returns the code at an index; packed codes start at the lowest bit of the first byte.
template <class Format>
typename Format::Bits load_code(const std::byte* source, std::size_t index) noexcept {
  if constexpr (Format::width >= 8) {
    return load<typename Format::Bits>(source, index);
  } else {
    const std::size_t bit = index * Format::width;
    auto window = std::to_integer<unsigned>(source[bit / 8]);
    if (bit % 8 + Format::width > 8) window |= std::to_integer<unsigned>(source[bit / 8 + 1]) << 8U;
    constexpr unsigned mask = (1U << Format::width) - 1U;
    return static_cast<typename Format::Bits>(window >> bit % 8 & mask);
  }
}

/// Stores a code at an index. For packed formats, its bits must be zero before.
template <class Format>
void store_code(std::byte* target, std::size_t index, typename Format::Bits code) noexcept {
  if constexpr (Format::width >= 8) {
    store(target, index, code);
  } else {
    const std::size_t bit = index * Format::width;
    const unsigned window = static_cast<unsigned>(code) << bit % 8;
    target[bit / 8] |= static_cast<std::byte>(window & 0xFFU);
    if (window > 0xFFU) target[bit / 8 + 1] |= static_cast<std::byte>(window >> 8U);
  }
}

/// Returns the numbers for all codes of a format of up to 8 bits.
template <class Format>
constexpr std::array<float, 1U << Format::width> make_decode_table() noexcept {
  std::array<float, 1U << Format::width> table{};
  for (unsigned code = 0; code < table.size(); ++code) {
    table[code] = Format::decode(static_cast<typename Format::Bits>(code));
  }
  return table;
}

template <class Format>
inline constexpr auto decode_table = make_decode_table<Format>();

/// Returns the number for a code.
template <class Format>
double decode(typename Format::Bits code) noexcept {
  if constexpr (Format::width <= 8) return decode_table<Format>[code];
  else return Format::decode(code);
}

}  // namespace safestructures::inline v0::detail
