/// \file
/// Element types of tensors: the 22 dtypes of the safetensors format.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include <safestructures/data/export.hpp>
#include <safestructures/data/minifloat.hpp>

namespace safestructures::inline v0 {

/// Element types, named and ordered as in the safetensors format (crate 0.8).
enum class DType : std::uint8_t {
  BOOL,         ///< one byte, 0 or 1
  F4,           ///< 4 bits, OCP MX E2M1, two to a byte, low nibble first
  F6_E2M3,      ///< 6 bits, OCP MX, packed from the lowest bit
  F6_E3M2,      ///< 6 bits, OCP MX, packed from the lowest bit
  U8,           ///< unsigned 8-bit integer
  I8,           ///< signed 8-bit integer
  F8_E5M2,      ///< OCP 8-bit float with infinities
  F8_E4M3,      ///< OCP 8-bit float, finite and NaN only
  F8_E8M0,      ///< OCP MX scale: a power of two, or NaN
  F8_E4M3FNUZ,  ///< 8-bit float, finite, one zero, bias 8
  F8_E5M2FNUZ,  ///< 8-bit float, finite, one zero, bias 16
  I16,          ///< signed 16-bit integer
  U16,          ///< unsigned 16-bit integer
  F16,          ///< IEEE 754 binary16
  BF16,         ///< upper half of an IEEE 754 binary32
  I32,          ///< signed 32-bit integer
  U32,          ///< unsigned 32-bit integer
  F32,          ///< IEEE 754 binary32
  C64,          ///< two F32: real, imaginary
  F64,          ///< IEEE 754 binary64
  I64,          ///< signed 64-bit integer
  U64,          ///< unsigned 64-bit integer
};

/// The number of dtypes.
inline constexpr std::size_t dtype_count = 22;

/// Returns the name the format uses, such as `"F8_E4M3"`.
SAFESTRUCTURES_API std::string_view to_string(DType dtype) noexcept;

/// Returns the dtype with exactly that name, or nothing.
SAFESTRUCTURES_API std::optional<DType> parse_dtype(std::string_view name) noexcept;

/// Returns the number of bits of an element: 4, 6, 8, 16, 32 or 64.
SAFESTRUCTURES_API unsigned bit_width(DType dtype) noexcept;

/// Returns the alignment in bytes that typed access to the elements needs (1 for sub-byte types; 4
/// for C64).
SAFESTRUCTURES_API std::size_t alignment(DType dtype) noexcept;

/// Whether the dtype is one of F4 to F64, which a precision setting converts. False for C64.
SAFESTRUCTURES_API bool is_floating(DType dtype) noexcept;

/// Whether the dtype is one of I8 to I64 or U8 to U64. False for BOOL.
SAFESTRUCTURES_API bool is_integer(DType dtype) noexcept;

/// Whether the dtype is one of I8 to I64.
SAFESTRUCTURES_API bool is_signed_integer(DType dtype) noexcept;

namespace detail {

template <class T>
constexpr std::optional<DType> dtype_for() {
  if constexpr (std::is_same_v<T, bool>) return DType::BOOL;
  else if constexpr (std::is_same_v<T, half>) return DType::F16;
  else if constexpr (std::is_same_v<T, bfloat16>) return DType::BF16;
  else if constexpr (std::is_same_v<T, float8_e5m2>) return DType::F8_E5M2;
  else if constexpr (std::is_same_v<T, float8_e4m3>) return DType::F8_E4M3;
  else if constexpr (std::is_same_v<T, float8_e8m0>) return DType::F8_E8M0;
  else if constexpr (std::is_same_v<T, float8_e4m3fnuz>) return DType::F8_E4M3FNUZ;
  else if constexpr (std::is_same_v<T, float8_e5m2fnuz>) return DType::F8_E5M2FNUZ;
  else if constexpr (std::is_same_v<T, float>) return DType::F32;
  else if constexpr (std::is_same_v<T, double>) return DType::F64;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return DType::C64;
  else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, char> &&
                     !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char8_t> &&
                     !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>) {
    // By size and sign, so that long and long long both count, whichever std::int64_t is.
    if constexpr (sizeof(T) == 1) return std::is_signed_v<T> ? DType::I8 : DType::U8;
    else if constexpr (sizeof(T) == 2) return std::is_signed_v<T> ? DType::I16 : DType::U16;
    else if constexpr (sizeof(T) == 4) return std::is_signed_v<T> ? DType::I32 : DType::U32;
    else if constexpr (sizeof(T) == 8) return std::is_signed_v<T> ? DType::I64 : DType::U64;
    else return std::nullopt;
  } else return std::nullopt;
}

}  // namespace detail

/// A C++ type that can be a tensor element: bool, every integer type of 8 to 64 bits, float,
/// double, `std::complex<float>`, `half`, `bfloat16` and the 8-bit floats. Character types are
/// text, not numbers.
template <class T>
concept Element = detail::dtype_for<std::remove_cv_t<T>>().has_value();

/// The dtype of a C++ element type.
template <Element T>
inline constexpr DType dtype_of = *detail::dtype_for<std::remove_cv_t<T>>();

}  // namespace safestructures::inline v0
