/// \file
/// Numbers, bool and char: exact round trips, and no number that changes silently.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>

#include <safestructures/codecs/scalars.hpp>

#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::error_of;
using codec_test::load_error;
using codec_test::round_trip;
using ss::Kind;
using ss::Value;

TEST_CASE_TEMPLATE("an integer of every type keeps its extremes", T, std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, int, unsigned, long, unsigned long, long long,
                   unsigned long long) {
  for (const T number : {std::numeric_limits<T>::min(), T{0}, std::numeric_limits<T>::max()}) {
    CHECK(Value::from(number).kind() == Kind::integer);
    CHECK(round_trip(number) == number);
  }
}

TEST_CASE_TEMPLATE("a float of every type keeps its extremes, infinity and NaN", T, float, double,
                   ss::half, ss::bfloat16, ss::float8_e5m2) {
  using Limits = std::numeric_limits<T>;
  for (const T number : {Limits::lowest(), Limits::max(), Limits::denorm_min(), Limits::infinity(),
                         -Limits::infinity(), T(-0.0F)}) {
    CHECK(Value::from(number).kind() == Kind::floating);
    const auto loaded = static_cast<double>(round_trip(number));
    CHECK(loaded == static_cast<double>(number));
    CHECK(std::signbit(loaded) == std::signbit(static_cast<double>(number)));
  }
  CHECK(std::isnan(static_cast<double>(round_trip(Limits::quiet_NaN()))));
}

TEST_CASE_TEMPLATE("an 8-bit float keeps its numbers", T, ss::float8_e4m3, ss::float8_e8m0,
                   ss::float8_e4m3fnuz, ss::float8_e5m2fnuz) {
  for (const T number : {std::numeric_limits<T>::max(), T(1.0F), T(0.25F)})
    CHECK(round_trip(number).bits() == number.bits());
}

TEST_CASE("a long double is saved only where it is exactly a double") {
  CHECK(round_trip(0.5L) == 0.5L);
  CHECK(std::isnan(round_trip(std::numeric_limits<long double>::quiet_NaN())));
  if constexpr (std::numeric_limits<long double>::digits > 53) {
    CHECK(
        error_of([] { return Value::from(1.0L + 0x1p-60L); }) ==
        "lossy_conversion: at /: a long double has more digits than can be saved: expected a "
        "number that is exactly a double, found 1.00000000000000000087. Round it to double first.");
  }
}

TEST_CASE("complex numbers keep both parts") {
  const std::complex<double> number(-0.0, std::numeric_limits<double>::infinity());
  CHECK(Value::from(number).kind() == Kind::complex);
  CHECK(round_trip(number) == number);
  CHECK(std::signbit(round_trip(number).real()));
  CHECK(round_trip(std::complex<float>(1.5F, -2.0F)) == std::complex<float>(1.5F, -2.0F));
  CHECK(Value(2).as<std::complex<double>>() == std::complex<double>(2, 0));
  CHECK(Value(2.5).as<std::complex<float>>() == std::complex<float>(2.5F, 0));
}

TEST_CASE("every char is a str of one character and comes back") {
  for (int code = 0; code < 256; ++code) {
    const auto character = static_cast<char>(static_cast<unsigned char>(code));
    CHECK(Value::from(character).kind() == Kind::string);
    CHECK(round_trip(character) == character);
  }
  CHECK(Value::from('a') == Value("a"));
  CHECK(Value::from('\xE9') == Value("\xC3\xA9"));
  for (const char* text : {"", "ab", "\xE2\x82\xAC", "\xC4\x80"})
    CHECK_THROWS_AS(static_cast<void>(Value(text).as<char>()), ss::Error);
}

TEST_CASE("a byte is an int from 0 to 255") {
  CHECK(Value::from(std::byte{200}) == Value(200));
  CHECK(Value(200).as<std::byte>() == std::byte{200});
  CHECK(
      load_error<std::byte>(Value(256)) ==
      "out_of_range: at /: a number is out of range: expected an int from 0 to 255, found int 256. "
      "Load it into a wider type, or choose Overflow::saturate.");
}

TEST_CASE("a number that the type cannot hold is an error that names the bounds") {
  CHECK(load_error<std::int8_t>(Value(-129)) ==
        "out_of_range: at /: a number is out of range: expected an int from -128 to 127, found int "
        "-129. Load it into a wider type, or choose Overflow::saturate.");
  CHECK(load_error<std::uint64_t>(Value(-1)) ==
        "out_of_range: at /: a number is out of range: expected an int from 0 to "
        "18446744073709551615, found int -1. Load it into a wider type, or choose "
        "Overflow::saturate.");
  CHECK(
      load_error<std::int64_t>(Value::integer("123456789012345678901234567890")) ==
      "out_of_range: at /: a number is out of range: expected an int from -9223372036854775808 to "
      "9223372036854775807, found int 123456789012345678901234567890. Load it into a wider type, "
      "or choose Overflow::saturate.");
  CHECK(load_error<float>(Value(1e300)) ==
        "out_of_range: at /: a number is out of range: expected a number that F32 can hold, found "
        "float 1e+300. Load it into a wider type, or choose Overflow::saturate.");
  CHECK(load_error<ss::half>(Value(70000)) ==
        "out_of_range: at /: a number is out of range: expected a number that F16 can hold, found "
        "int 70000. Load it into a wider type, or choose Overflow::saturate.");
  CHECK(load_error<std::complex<float>>(Value(std::complex<double>(0, 1e300))) ==
        "out_of_range: at /: a number is out of range: expected a number that F32 can hold, found "
        "float 1e+300. Load it into a wider type, or choose Overflow::saturate.");
}

TEST_CASE("an int is a float only where that holds it exactly") {
  CHECK(Value(16777216).as<float>() == 16777216.0F);
  CHECK(load_error<float>(Value(16777217)) ==
        "lossy_conversion: at /: a floating-point type cannot hold an int exactly: expected an int "
        "that F32 holds exactly, found int 16777217. Load it into an integer type, or choose "
        "Overflow::saturate.");
  CHECK(Value(std::uint64_t{1} << 63U).as<double>() == 0x1p63);
  CHECK(load_error<double>(Value((std::int64_t{1} << 53U) + 1)).starts_with("lossy_conversion"));
  CHECK(
      load_error<double>(Value::integer("100000000000000000001")).starts_with("lossy_conversion"));
}

TEST_CASE("under saturate the nearest number is taken") {
  const ss::DecodeOptions options{.overflow = ss::Overflow::saturate};
  CHECK(Value(300).as<std::uint8_t>(options) == 255);
  CHECK(Value(-300).as<std::int8_t>(options) == -128);
  CHECK(Value::integer("-99999999999999999999").as<std::uint64_t>(options) == 0);
  CHECK(Value(1e300).as<float>(options) == std::numeric_limits<float>::max());
  CHECK(Value(16777217).as<float>(options) == 16777216.0F);
  CHECK(Value::integer("100000000000000000001").as<double>(options) == 1e20);
}

TEST_CASE("kinds do not mix") {
  CHECK(load_error<bool>(Value(1)) ==
        "type_mismatch: at /: a value has the wrong type: expected bool, found int 1.");
  CHECK(load_error<int>(Value(true)) ==
        "type_mismatch: at /: a value has the wrong type: expected int, found bool True.");
  CHECK(load_error<unsigned>(Value(1.0)) ==
        "type_mismatch: at /: a value has the wrong type: expected int, found float 1.0.");
  CHECK(load_error<double>(Value("1")) ==
        "type_mismatch: at /: a value has the wrong type: expected float, found str \"1\".");
  CHECK(load_error<double>(Value(true)) ==
        "type_mismatch: at /: a value has the wrong type: expected float, found bool True.");
  CHECK(load_error<double>(Value(std::complex<double>(1, 0))) ==
        "type_mismatch: at /: a value has the wrong type: expected float, found complex (1+0j).");
  CHECK(load_error<std::complex<double>>(Value()) ==
        "type_mismatch: at /: a value has the wrong type: expected complex, found None.");
  CHECK(load_error<char>(Value(7)) ==
        "type_mismatch: at /: a value has the wrong type: expected a str of one character, U+0000 "
        "to U+00FF, found int 7.");
}

TEST_CASE("a tensor of rank 0 loads as a number of its kind") {
  const auto scalar = [](auto number) {
    return Value(ss::Tensor::own(std::vector{number}, ss::Shape{}));
  };
  CHECK(scalar(std::int64_t{-5}).as<int>() == -5);
  CHECK(scalar(std::numeric_limits<std::uint64_t>::max()).as<std::uint64_t>() ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK(scalar(0.5F).as<double>() == 0.5);
  CHECK(scalar(std::complex<float>(1, 2)).as<std::complex<double>>() == std::complex<double>(1, 2));
  CHECK(load_error<int>(scalar(0.5F)) ==
        "type_mismatch: at /: a value has the wrong type: expected int, found float 0.5.");
  const std::uint8_t two = 2;
  const Value wrong(
      ss::Tensor::borrow(ss::DType::BOOL, ss::Shape{}, std::as_bytes(std::span(&two, 1))));
  CHECK(load_error<bool>(wrong).starts_with("out_of_range: at /: element 0 is not a truth value"));
}

namespace {
struct Metres {
  double value;
};
enum class Flag : bool { off, on };
}  // namespace
template <>
struct safestructures::Codec<Metres> {
  static Value encode(const Metres& metres, Encoder&) { return Value(metres.value); }
  static Metres decode(const Value& value, Decoder& decoder) {
    return {decoder.decode<double>(value)};
  }
};
template <>
struct safestructures::Codec<Flag> {
  static Value encode(Flag flag, Encoder&) { return Value(flag == Flag::on); }
  static Flag decode(const Value& value, Decoder& decoder) {
    return decoder.decode<bool>(value) ? Flag::on : Flag::off;
  }
};

TEST_CASE("a full specialisation wins over the library's codec") {
  CHECK(Value::from(Metres{2.5}) == Value(2.5));
  CHECK(Value::from(Flag::on) == Value(true));
  CHECK(round_trip(Flag::off) == Flag::off);
}
