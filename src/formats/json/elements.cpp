#include "formats/json/elements.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <safestructures/data/minifloat.hpp>

namespace safestructures::inline v0::json {
namespace {

/// float and double with the interface of the minifloat formats.
template <class T, class B>
struct IeeeFormat {
  using Bits = B;
  static constexpr unsigned width = 8 * sizeof(T);
  static constexpr Bits sign_bit = Bits{1} << (width - 1);
  static constexpr Bits quiet_nan = std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
  static constexpr bool has_sign = true;
  static constexpr bool has_nan = true;
  static constexpr bool has_infinity = true;
  static T decode(Bits bits) noexcept { return std::bit_cast<T>(bits); }
};
using Binary32 = IeeeFormat<float, std::uint32_t>;
using Binary64 = IeeeFormat<double, std::uint64_t>;

template <class Format>
constexpr bool is_binary = std::is_same_v<Format, Binary32> || std::is_same_v<Format, Binary64>;

template <class T>
void append_number(std::string& text, T value) {
  std::array<char, 32> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), result.ptr);
}

/// Returns the number with the fewest digits whose nearest code is `code`.
template <class Format>
double shortest(typename Format::Bits code) noexcept {
  const double exact = static_cast<double>(Format::decode(code));
  // Powers of two are so far apart that the fewest digits mislead: 1000 would stand for 1024.
  if constexpr (Format::kind == Specials::scale) return exact;
  std::array<char, 32> digits;
  for (int precision = 0; precision < 9; ++precision) {
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), exact,
                                      std::chars_format::scientific, precision);
    double rounded = 0;
    std::from_chars(digits.data(), result.ptr, rounded);
    if (!Format::overflows(rounded) && Format::encode(rounded) == code) return rounded;
  }
  return exact;
}

template <class Format>
void append_float(std::string& text, std::uint64_t bits) {
  const auto code = static_cast<typename Format::Bits>(bits);
  const auto value = Format::decode(code);
  if (std::isnan(value)) {
    if (code == Format::quiet_nan) {
      text += "\"nan\"";
    } else if (Format::has_sign && code == (Format::quiet_nan | Format::sign_bit)) {
      text += "\"-nan\"";
    } else {
      text += "\"0x";
      for (unsigned shift = Format::width; shift > 0; shift -= 4)
        text += "0123456789abcdef"[bits >> (shift - 4) & 15U];
      text += '"';
    }
  } else if (std::isinf(value)) {
    text += value < 0 ? "\"-inf\"" : "\"inf\"";
  } else if (value == 0) {
    // Python's json reads `-0` as the integer 0, which has no sign.
    text += std::signbit(value) ? "-0.0" : "0";
  } else if constexpr (is_binary<Format>) {
    append_number(text, value);
  } else {
    append_number(text, shortest<Format>(code));
  }
}

template <class T>
void append_integer(std::string& text, std::uint64_t bits) {
  append_number(text, static_cast<T>(bits));
}

constexpr ParsedElement mismatch{0, ErrorCode::type_mismatch};
constexpr ParsedElement out_of_range{0, ErrorCode::out_of_range};

/// Reads a string that spells infinity, NaN, or the bits of a NaN.
template <class Format>
ParsedElement parse_special(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view word = text.substr(negative ? 1 : 0);
  const std::uint64_t sign = negative ? Format::sign_bit : 0;
  if (word == "nan") {
    if (!Format::has_nan || (negative && (!Format::has_sign || sign == Format::quiet_nan)))
      return out_of_range;
    return {sign | Format::quiet_nan};
  }
  if (word == "inf") {
    if constexpr (Format::has_infinity) {
      if constexpr (is_binary<Format>) {
        const auto infinity =
            std::numeric_limits<decltype(Format::decode(typename Format::Bits{}))>::infinity();
        return {sign | std::bit_cast<typename Format::Bits>(infinity)};
      } else {
        return {sign | Format::infinity};
      }
    }
    return out_of_range;
  }
  if (!text.starts_with("0x") || text.size() != 2 + Format::width / 4) return mismatch;
  std::uint64_t bits = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data() + 2, end, bits, 16);
  if (result.ec != std::errc() || result.ptr != end) return mismatch;
  return std::isnan(Format::decode(static_cast<typename Format::Bits>(bits))) ? ParsedElement{bits}
                                                                              : mismatch;
}

template <class Format>
ParsedElement parse_float(Cursor& cursor) {
  if (cursor.token() == Token::string) return parse_special<Format>(cursor.string());
  if (cursor.token() != Token::number) return mismatch;
  const double number = cursor.number();
  // Bare NaN and Infinity, as Python's json writes them.
  const char first = cursor.raw()[cursor.raw().front() == '-' ? 1 : 0];
  if (first == 'N') return parse_special<Format>("nan");
  if (first == 'I') return parse_special<Format>(number < 0 ? "-inf" : "inf");
  if constexpr (std::is_same_v<Format, Binary64>) {
    if (std::isinf(number)) return out_of_range;
    return {std::bit_cast<std::uint64_t>(number)};
  } else if constexpr (std::is_same_v<Format, Binary32>) {
    float value = 0;
    const std::string_view raw = cursor.raw();
    if (std::from_chars(raw.data(), raw.data() + raw.size(), value).ec != std::errc()) {
      // Too large or too small: from_chars does not say which.
      if (std::abs(number) > 1) return out_of_range;
      value = std::copysign(0.0F, raw.front() == '-' ? -1.0F : 1.0F);
    }
    return {std::bit_cast<std::uint32_t>(value)};
  } else {
    if (std::isinf(number) || Format::overflows(number)) return out_of_range;
    return {Format::encode(number)};
  }
}

template <class T>
ParsedElement parse_integer(Cursor& cursor) {
  if (cursor.token() != Token::number || !cursor.is_integer()) return mismatch;
  std::string_view raw = cursor.raw();
  if (raw == "-0") raw.remove_prefix(1);
  T value = 0;
  const char* const end = raw.data() + raw.size();
  const auto result = std::from_chars(raw.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return out_of_range;
  return {static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(value))};
}

ParsedElement parse_bool(Cursor& cursor) {
  if (cursor.token() == Token::boolean) return {cursor.boolean() ? 1U : 0U};
  return parse_integer<std::uint8_t>(cursor);
}

/// Calls `use` with the floating format or the integer type of a dtype.
template <class Use>
auto with_type(DType dtype, const Use& use) {
  switch (dtype) {
    case DType::F4: return use(Float4E2M1Format());
    case DType::F6_E2M3: return use(Float6E2M3Format());
    case DType::F6_E3M2: return use(Float6E3M2Format());
    case DType::F8_E5M2: return use(Float8E5M2Format());
    case DType::F8_E4M3: return use(Float8E4M3Format());
    case DType::F8_E8M0: return use(Float8E8M0Format());
    case DType::F8_E4M3FNUZ: return use(Float8E4M3FnuzFormat());
    case DType::F8_E5M2FNUZ: return use(Float8E5M2FnuzFormat());
    case DType::F16: return use(HalfFormat());
    case DType::BF16: return use(Bfloat16Format());
    case DType::C64:
    case DType::F32: return use(Binary32());
    case DType::F64: return use(Binary64());
    case DType::I8: return use(std::int8_t());
    case DType::I16: return use(std::int16_t());
    case DType::I32: return use(std::int32_t());
    case DType::I64: return use(std::int64_t());
    case DType::U16: return use(std::uint16_t());
    case DType::U32: return use(std::uint32_t());
    case DType::U64: return use(std::uint64_t());
    case DType::BOOL:
    case DType::U8: break;
  }
  return use(std::uint8_t());
}

}  // namespace

std::uint64_t element_bits(DType dtype, std::span<const std::byte> elements,
                           std::size_t index) noexcept {
  const unsigned width = bit_width(dtype);
  std::uint64_t bits = 0;
  if (width >= 8) {
    std::memcpy(&bits, elements.data() + index * (width / 8), width / 8);
    return bits;
  }
  // Packed from the lowest bit on: an element lies in one or two bytes.
  const std::size_t bit = index * width;
  bits = std::to_integer<std::uint64_t>(elements[bit / 8]);
  if (bit % 8 + width > 8) bits |= std::to_integer<std::uint64_t>(elements[bit / 8 + 1]) << 8U;
  return bits >> bit % 8 & ((1U << width) - 1U);
}

void append_element(std::string& text, DType dtype, std::uint64_t bits) {
  if (dtype == DType::BOOL && bits <= 1) {
    text += bits == 1 ? "true" : "false";
    return;
  }
  if (dtype == DType::C64) {
    text += '[';
    append_float<Binary32>(text, bits & 0xFFFF'FFFFU);
    text += ',';
    append_float<Binary32>(text, bits >> 32U);
    text += ']';
    return;
  }
  with_type(dtype, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) append_integer<T>(text, bits);
    else append_float<T>(text, bits);
  });
}

std::string expected_element(DType dtype) {
  if (dtype == DType::BOOL) return "true or false";
  return with_type(dtype, [&]<class T>(T) -> std::string {
    if constexpr (std::is_integral_v<T>) {
      return "an int from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
             std::to_string(std::numeric_limits<T>::max());
    } else {
      std::string text = "a number that " + std::string(to_string(dtype)) + " can hold";
      if (T::has_infinity) text += ", \"inf\"";
      if (T::has_nan) text += ", \"nan\"";
      return text;
    }
  });
}

ParsedElement parse_element(DType dtype, Cursor& cursor) {
  if (dtype == DType::BOOL) return parse_bool(cursor);
  return with_type(dtype, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) return parse_integer<T>(cursor);
    else return parse_float<T>(cursor);
  });
}

}  // namespace safestructures::inline v0::json
