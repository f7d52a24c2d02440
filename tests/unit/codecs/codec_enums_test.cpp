/// \file
/// Enums are saved by name and loaded by name or number.
#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include <safestructures/codecs/enums.hpp>

#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::error_of;
using codec_test::load_error;
using codec_test::round_trip;
using ss::Value;

namespace {
enum class Color { red, green = 5, blue = -128, last = 127 };
enum Plain { plain_a, plain_b = 5 };
enum PlainSigned { minus = -3, plus = 2 };
enum class Letter : char { a = 'a', comma = ',', quote = '\'', open = '(' };
enum class Flag : bool { off, on };
enum class Wide : std::uint8_t { low = 0, high = 255 };
enum class Far : std::uint64_t { near = 1, far = 1U << 20U };
enum class Chosen { one = 1000, two = 2000 };
enum Code { not_found = 404 };
enum class Flags { read = 1, write = 2 };
enum class Large : std::uint64_t { one = 1 };
enum Bits { bit_a, bit_b = 5 };
enum SignedBits { below = -3, above = 2 };
}  // namespace

namespace outer {
template <class, class>
struct Box {
  enum class Side { left, right };
  static constexpr Side first = Side::left;  // Clang 14 knows the names once one is used.
};
}  // namespace outer

template <>
struct safestructures::EnumNames<Chosen> {
  static constexpr std::pair<Chosen, std::string_view> values[] = {{Chosen::one, "uno"},
                                                                   {Chosen::two, "due"}};
};

template <>
struct safestructures::EnumNames<Flags> {
  static constexpr bool any_number = true;
};
template <>
struct safestructures::EnumNames<Large> {
  static constexpr std::pair<Large, std::string_view> values[] = {{Large::one, "uno"}};
  static constexpr bool any_number = true;
};
template <>
struct safestructures::EnumNames<Bits> {
  static constexpr bool any_number = true;
};
template <>
struct safestructures::EnumNames<SignedBits> {
  static constexpr bool any_number = true;
};

TEST_CASE("an enum is saved by name") {
  CHECK(Value::from(Color::red) == Value("red"));
  CHECK(Value::from(Color::blue) == Value("blue"));
  CHECK(Value::from(Color::last) == Value("last"));
  CHECK(Value::from(plain_b) == Value("plain_b"));
  CHECK(Value::from(minus) == Value("minus"));
  CHECK(Value::from(Letter::comma) == Value("comma"));
  CHECK(Value::from(Letter::quote) == Value("quote"));
  CHECK(Value::from(Letter::open) == Value("open"));
  CHECK(Value::from(Flag::on) == Value("on"));
  CHECK(Value::from(Wide::high) == Value("high"));
  CHECK(Value::from(Chosen::two) == Value("due"));
  enum class Local { here };
  CHECK(Value::from(Local::here) == Value("here"));
}

TEST_CASE("an enum comes back, from its name and from its number") {
  for (const Color color : {Color::red, Color::green, Color::blue, Color::last})
    CHECK(round_trip(color) == color);
  CHECK(round_trip(plain_b) == plain_b);
  CHECK(round_trip(minus) == minus);
  CHECK(round_trip(Letter::comma) == Letter::comma);
  CHECK(round_trip(Flag::off) == Flag::off);
  CHECK(round_trip(Wide::high) == Wide::high);
  CHECK(round_trip(Chosen::one) == Chosen::one);
  CHECK(round_trip(outer::Box<int, float>::first) == outer::Box<int, float>::Side::left);
  CHECK(Value(5).as<Color>() == Color::green);
  CHECK(Value(1).as<Flag>() == Flag::on);
  CHECK(Value(97).as<Letter>() == Letter::a);
}

TEST_CASE("a value without a name is refused, when it is saved and when it is loaded") {
  const std::string advice =
      " Name it in EnumNames, or set EnumNames::any_number if every number is a value, as in "
      "flags.";
  CHECK(error_of([] { return Value::from(static_cast<Color>(77)); }) ==
        "out_of_range: at /: an enum's value has no name: expected 'blue', 'red', 'green', 'last', "
        "found 77." +
            advice);
  CHECK(load_error<Color>(Value(77)) ==
        "out_of_range: at /: an enum's value has no name: expected 'blue', 'red', 'green', 'last', "
        "found 77." +
            advice);
  // Named in C++, but beyond the numbers whose names the compiler is asked for.
  CHECK(error_of([] { return Value::from(Far::far); }) ==
        "out_of_range: at /: an enum's value has no name: expected 'near', found 1048576." +
            advice);
  CHECK(error_of([] { return Value::from(static_cast<Far>(~0ULL)); }) ==
        "out_of_range: at /: an enum's value has no name: expected 'near', found "
        "18446744073709551615." +
            advice);
  CHECK(load_error<Far>(Value(~0ULL)).starts_with("out_of_range"));
  CHECK(load_error<Plain>(Value(7)).starts_with("out_of_range"));
  CHECK(error_of([] { return Value::from(not_found); }) ==
        "out_of_range: at /: an enum's value has no name: expected a value that has a name, found "
        "404." +
            advice);
}

TEST_CASE("an enum of flags has all numbers as values when EnumNames says so") {
  CHECK(Value::from(Flags::read) == Value("read"));
  CHECK(Value::from(static_cast<Flags>(3)) == Value(3));
  CHECK(round_trip(static_cast<Flags>(3)) == static_cast<Flags>(3));
  CHECK(round_trip(static_cast<Flags>(-100000)) == static_cast<Flags>(-100000));
  CHECK(round_trip(static_cast<Large>(~0ULL)) == static_cast<Large>(~0ULL));
  CHECK(Value::from(Large::one) == Value("uno"));
}

TEST_CASE("an unknown name is an error with the known ones") {
  CHECK(load_error<Color>(Value("gren")) ==
        "out_of_range: at /: an enum has no value of that name: expected 'blue', 'red', 'green', "
        "'last', found str \"gren\". Perhaps 'green' is meant.");
  CHECK(load_error<Chosen>(Value("something")) ==
        "out_of_range: at /: an enum has no value of that name: expected 'uno', 'due', found str "
        "\"something\".");
}

TEST_CASE("a number that is no value of the enum is refused") {
  CHECK(
      load_error<Wide>(Value(256)) ==
      "out_of_range: at /: a number is out of range: expected an int from 0 to 255, found int 256. "
      "Load it into a wider type, or choose Overflow::saturate.");
  CHECK(load_error<Flag>(Value(2)).starts_with("out_of_range"));
  // Without a fixed underlying type, numbers beyond the bits of the named values are no values.
  CHECK(
      load_error<Bits>(Value(8)) ==
      "out_of_range: at /: a number is not a value of the enum: expected 0 to 7, found 8. Give the "
      "enum a fixed underlying type, or name its values in EnumNames.");
  CHECK(Value(7).as<Bits>() == static_cast<Bits>(7));
  CHECK(load_error<SignedBits>(Value(-5)).starts_with("out_of_range"));
  CHECK(load_error<Color>(Value(1.0)) ==
        "type_mismatch: at /: a value has the wrong type: expected the name or number of an enum "
        "value, found float 1.0.");
}
