#include <safestructures/codecs/scalars.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>
#include "codecs/scalar_of.hpp"
#include "data/box.hpp"
#include "data/copy_back.hpp"

namespace safestructures::inline v0::detail {
namespace {

[[noreturn]] void out_of_range(const std::string& expected, const Value& value,
                               const Decoder& decoder) {
  decoder.fail(ErrorCode::out_of_range, "a number is out of range",
               {.expected = expected,
                .found = describe(value),
                .advice = "Load it into a wider type, or choose Overflow::saturate"});
}

/// Returns the nearest bound for an int out of range, if the caller allows that.
template <class T>
T beyond(const Value& value, const Decoder& decoder, T lowest, T highest) {
  if (decoder.overflow() != Overflow::error)
    return value.integer_text().front() == '-' ? lowest : highest;
  out_of_range("an int from " + std::to_string(lowest) + " to " + std::to_string(highest), value,
               decoder);
}

void round_to(double number, DType dtype, void* target, Overflow overflow) {
  const std::array<double, 1> source{number};
  convert_elements(DType::F64, std::as_bytes(std::span(source)), dtype,
                   {static_cast<std::byte*>(target), bit_width(dtype) / 8}, 1, overflow);
}

/// Rounds an int to the nearest number of a floating dtype.
void round_integer(const Value& value, const Decoder& decoder, DType dtype, void* target) {
  const auto inexact = [&](const std::string& found) {
    decoder.fail(ErrorCode::lossy_conversion, "a floating-point type cannot hold an int exactly",
                 {.expected = "an int that " + std::string(to_string(dtype)) + " holds exactly",
                  .found = found,
                  .advice = "Load it into an integer type, or choose Overflow::saturate"});
  };
  const auto from = [&]<class T>(DType source, T number) {
    const ConversionReport report = convert_elements(
        source, std::as_bytes(std::span(&number, 1)), dtype,
        {static_cast<std::byte*>(target), bit_width(dtype) / 8}, 1, decoder.overflow());
    if (report.inexact > 0 && decoder.overflow() == Overflow::error) inexact(describe(value));
  };
  try {
    if (const auto number = value.as_int64()) return from(DType::I64, *number);
    if (const auto number = value.as_uint64()) return from(DType::U64, *number);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_range) throw;
    out_of_range("a number that " + std::string(to_string(dtype)) + " can hold", value, decoder);
  }
  if (decoder.overflow() == Overflow::error) inexact(describe(value));
  round_to(std::strtod(value.integer_text().c_str(), nullptr), dtype, target, decoder.overflow());
}

bool is_scalar(const Value& value) {
  return value.kind() == Kind::tensor && value.tensor().rank() == 0;
}

void restore(const Value& scalar, const Decoder& decoder, DType dtype,
             std::span<std::byte> target) {
  try {
    copy_back(scalar.tensor(), dtype, target, decoder.overflow());
  } catch (const Error& error) {
    throw error.with_path(decoder.path());
  }
}

}  // namespace

Value scalar_of(const Tensor& tensor) {
  const auto read = [&]<class T>(DType dtype, T number) {
    tensor.copy_to(dtype, std::as_writable_bytes(std::span(&number, 1)));
    return number;
  };
  switch (tensor.dtype()) {
    case DType::BOOL: return Value(tensor.data<bool>()[0]);
    case DType::U64: return Value(read(DType::U64, std::uint64_t{}));
    case DType::C64: return Value(std::complex<double>(read(DType::C64, std::complex<float>())));
    default: break;
  }
  if (is_integer(tensor.dtype())) return Value(read(DType::I64, std::int64_t{}));
  return Value(read(DType::F64, 0.0));
}

std::optional<Value> scalar_in(const Value& value, const Decoder& decoder) {
  const Value& held = value.kind() == Kind::custom ? value.payload() : value;
  if (!is_scalar(held)) return std::nullopt;
  try {
    return scalar_of(held.tensor());
  } catch (const Error& error) {
    throw error.with_path(decoder.path());
  }
}

bool decode_bool(const Value& value, const Decoder& decoder) {
  if (value.kind() == Kind::boolean) return value.as_bool();
  if (const auto scalar = scalar_in(value, decoder)) return decode_bool(*scalar, decoder);
  decoder.mismatch("bool", value);
}

std::int64_t decode_signed(const Value& value, const Decoder& decoder, std::int64_t lowest,
                           std::int64_t highest) {
  if (value.kind() == Kind::integer) {
    const std::int64_t* const number = Box::integer(value);
    if (number != nullptr && *number >= lowest && *number <= highest) return *number;
    return beyond(value, decoder, lowest, highest);
  }
  if (const auto scalar = scalar_in(value, decoder))
    return decode_signed(*scalar, decoder, lowest, highest);
  decoder.mismatch("int", value);
}

std::uint64_t decode_unsigned(const Value& value, const Decoder& decoder, std::uint64_t highest) {
  if (value.kind() == Kind::integer) {
    const auto number = value.as_uint64();
    if (number && *number <= highest) return *number;
    return beyond(value, decoder, std::uint64_t{0}, highest);
  }
  if (const auto scalar = scalar_in(value, decoder))
    return decode_unsigned(*scalar, decoder, highest);
  decoder.mismatch("int", value);
}

void decode_floating(const Value& value, const Decoder& decoder, DType dtype, void* target) {
  if (value.kind() == Kind::floating) {
    const double number = value.as_double();
    if (dtype == DType::F64) {
      std::memcpy(target, &number, sizeof number);
      return;
    }
    try {
      return round_to(number, dtype, target, decoder.overflow());
    } catch (const Error&) {
      out_of_range("a number that " + std::string(to_string(dtype)) + " can hold", value, decoder);
    }
  }
  if (value.kind() == Kind::integer) return round_integer(value, decoder, dtype, target);
  const std::span<std::byte> bytes(static_cast<std::byte*>(target), bit_width(dtype) / 8);
  if (is_scalar(value) && had_dtype(value, dtype)) return restore(value, decoder, dtype, bytes);
  if (const auto scalar = scalar_in(value, decoder))
    return decode_floating(*scalar, decoder, dtype, target);
  decoder.mismatch("float", value);
}

std::complex<double> decode_complex(const Value& value, const Decoder& decoder, DType part) {
  const auto fit = [&](const Value& number) -> double {
    if (part == DType::F64) {
      double result;
      decode_floating(number, decoder, part, &result);
      return result;
    }
    float result;
    decode_floating(number, decoder, part, &result);
    return static_cast<double>(result);
  };
  if (value.kind() == Kind::complex) {
    const std::complex<double> number = value.as_complex();
    return {fit(Value(number.real())), fit(Value(number.imag()))};
  }
  if (value.kind() == Kind::floating || value.kind() == Kind::integer) return {fit(value), 0.0};
  if (const auto scalar = scalar_in(value, decoder)) return decode_complex(*scalar, decoder, part);
  decoder.mismatch("complex", value);
}

Value encode_char(char value) {
  const auto code = static_cast<unsigned char>(value);
  if (code < 0x80) return Value(std::string(1, value));
  return Value(std::string{static_cast<char>(0xC0U | (code >> 6U)),
                           static_cast<char>(0x80U | (code & 0x3FU))});
}

char decode_char(const Value& value, const Decoder& decoder) {
  if (value.kind() == Kind::string) {
    const std::string& text = value.as_string();
    const auto at = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(text[i]); };
    if (text.size() == 1 && at(0) < 0x80) return text[0];
    if (text.size() == 2 && (at(0) == 0xC2 || at(0) == 0xC3))
      return static_cast<char>(static_cast<unsigned char>((at(0) << 6U) | (at(1) & 0x3FU)));
  }
  decoder.mismatch("a str of one character, U+0000 to U+00FF", value);
}

Value encode_long_double(long double value, const Encoder& encoder) {
  const auto rounded = static_cast<double>(value);
  if (std::isnan(value) || static_cast<long double>(rounded) == value) return Value(rounded);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.21Lg", value);
  encoder.fail(ErrorCode::lossy_conversion, "a long double has more digits than can be saved",
               {.expected = "a number that is exactly a double",
                .found = text.data(),
                .advice = "Round it to double first"});
}

}  // namespace safestructures::inline v0::detail
