/// \file
/// Codecs of bool, numbers and `char`.
///
/// A scalar loads from a scalar of its own kind; floating-point types also from integers that they
/// hold exactly, and complex types from both. Neither a bool nor a fraction is an integer. A number
/// also loads from a tensor of rank 0. A number that the type cannot hold is an Error
/// `out_of_range`, or becomes the nearest number depending on `DecodeOptions::overflow`.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {
namespace detail {

SAFESTRUCTURES_API bool decode_bool(const Value& value, const Decoder& decoder);
SAFESTRUCTURES_API std::int64_t decode_signed(const Value& value, const Decoder& decoder,
                                              std::int64_t lowest, std::int64_t highest);
SAFESTRUCTURES_API std::uint64_t decode_unsigned(const Value& value, const Decoder& decoder,
                                                 std::uint64_t highest);
/// Writes a number of that floating-point dtype to `target`.
SAFESTRUCTURES_API void decode_floating(const Value& value, const Decoder& decoder, DType dtype,
                                        void* target);
/// Returns a complex number whose parts fit in `part`, F32 or F64.
SAFESTRUCTURES_API std::complex<double> decode_complex(const Value& value, const Decoder& decoder,
                                                       DType part);
SAFESTRUCTURES_API char decode_char(const Value& value, const Decoder& decoder);
SAFESTRUCTURES_API Value encode_char(char value);
SAFESTRUCTURES_API Value encode_long_double(long double value, const Encoder& encoder);

/// Integers that are numbers: of any width and sign, but neither bool nor characters.
template <class T>
concept Integer = std::integral<T> && Element<T> && !std::same_as<T, bool>;

}  // namespace detail

template <class T>
  requires std::same_as<T, bool>
struct Codec<T> {
  static constexpr KindSet kinds = Kind::boolean;
  static void describe_type(TypeDescriber& type) { type.boolean(); }
  static Value encode(T value, Encoder&) { return Value(value); }
  static T decode(const Value& value, Decoder& decoder) {
    return detail::decode_bool(value, decoder);
  }
};

template <detail::Integer T>
struct Codec<T> {
  static constexpr KindSet kinds = Kind::integer;
  static void describe_type(TypeDescriber& type) { type.integer(dtype_of<T>); }
  static Value encode(T value, Encoder&) { return Value(value); }
  static T decode(const Value& value, Decoder& decoder) {
    using Bounds = std::numeric_limits<T>;
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(
          detail::decode_signed(value, decoder, (Bounds::min)(), (Bounds::max)()));
    else return static_cast<T>(detail::decode_unsigned(value, decoder, (Bounds::max)()));
  }
};

/// float, double, and long double if its value is exactly that of a double.
template <std::floating_point T>
struct Codec<T> {
  static constexpr KindSet kinds = Kind::floating;
  static void describe_type(TypeDescriber& type) {
    type.floating(std::same_as<T, float> ? DType::F32 : DType::F64);
  }
  static Value encode(T value, Encoder& encoder) {
    if constexpr (Element<T>) {
      static_cast<void>(encoder);
      return Value(value);
    } else {
      return detail::encode_long_double(value, encoder);
    }
  }
  static T decode(const Value& value, Decoder& decoder) {
    using Stored = std::conditional_t<std::same_as<T, float>, float, double>;
    Stored number;
    detail::decode_floating(value, decoder, dtype_of<Stored>, &number);
    return static_cast<T>(number);
  }
};

/// half, bfloat16 and the 8-bit floats.
template <class Format>
struct Codec<BasicMinifloat<Format>> {
  static constexpr KindSet kinds = Kind::floating;
  static void describe_type(TypeDescriber& type) {
    type.floating(dtype_of<BasicMinifloat<Format>>);
  }
  static Value encode(BasicMinifloat<Format> value, Encoder&) {
    return Value(static_cast<float>(value));
  }
  static BasicMinifloat<Format> decode(const Value& value, Decoder& decoder) {
    BasicMinifloat<Format> number;
    detail::decode_floating(value, decoder, dtype_of<BasicMinifloat<Format>>, &number);
    return number;
  }
};

template <class T>
  requires(std::same_as<T, float> || std::same_as<T, double>)
struct Codec<std::complex<T>> {
  static constexpr KindSet kinds = Kind::complex;
  static void describe_type(TypeDescriber& type) { type.complex(dtype_of<T>); }
  static Value encode(const std::complex<T>& value, Encoder&) {
    return Value(std::complex<double>(value));
  }
  static std::complex<T> decode(const Value& value, Decoder& decoder) {
    return std::complex<T>(detail::decode_complex(value, decoder, dtype_of<T>));
  }
};

/// A str of one character, U+0000 to U+00FF, which is the code of the `char`.
template <class T>
  requires std::same_as<T, char>
struct Codec<T> {
  static constexpr KindSet kinds = Kind::string;
  static void describe_type(TypeDescriber& type) { type.string(1); }
  static Value encode(T value, Encoder&) { return detail::encode_char(value); }
  static T decode(const Value& value, Decoder& decoder) {
    return detail::decode_char(value, decoder);
  }
};

/// A single byte: an int from 0 to 255. Sequences of bytes are a bytes value.
template <class T>
  requires std::same_as<T, std::byte>
struct Codec<T> {
  static constexpr KindSet kinds = Kind::integer;
  static void describe_type(TypeDescriber& type) { type.integer(DType::U8); }
  static Value encode(T value, Encoder&) { return Value(std::to_integer<unsigned>(value)); }
  static T decode(const Value& value, Decoder& decoder) {
    return static_cast<std::byte>(detail::decode_unsigned(value, decoder, 255));
  }
};

}  // namespace safestructures::inline v0
