#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

#include <doctest/doctest.h>

#include <safestructures/data/minifloat.hpp>

#include "support/minifloat_tables.hpp"

namespace ss = safestructures;
using ss::DType;

namespace {

template <class FormatT, DType Type>
struct Case {
  using Format = FormatT;
  static constexpr DType dtype = Type;
};

using AllFormats = std::tuple<
    Case<ss::HalfFormat, DType::F16>, Case<ss::Bfloat16Format, DType::BF16>,
    Case<ss::Float8E5M2Format, DType::F8_E5M2>, Case<ss::Float8E4M3Format, DType::F8_E4M3>,
    Case<ss::Float8E8M0Format, DType::F8_E8M0>, Case<ss::Float8E4M3FnuzFormat, DType::F8_E4M3FNUZ>,
    Case<ss::Float8E5M2FnuzFormat, DType::F8_E5M2FNUZ>, Case<ss::Float4E2M1Format, DType::F4>,
    Case<ss::Float6E2M3Format, DType::F6_E2M3>, Case<ss::Float6E3M2Format, DType::F6_E3M2>>;

using AllNumbers = std::tuple<ss::half, ss::bfloat16, ss::float8_e5m2, ss::float8_e4m3,
                              ss::float8_e8m0, ss::float8_e4m3fnuz, ss::float8_e5m2fnuz>;

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

template <class Number>
Number from_code(unsigned code) {
  return Number::from_bits(static_cast<typename Number::Bits>(code));
}

float with_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
double with_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("every code stands for the number that NumPy and ml_dtypes give it", Each,
                          decode_test) {
  using Format = typename Each::Format;
  const auto& golden = ss::tests::minifloat_tables().of(Each::dtype);
  REQUIRE(golden.numbers.size() == std::size_t{1} << Format::width);
  for (unsigned code = 0; code < golden.numbers.size(); ++code) {
    const float number = Format::decode(static_cast<typename Format::Bits>(code));
    const float expected = golden.numbers[code];
    if (same(number, expected) || (std::isnan(number) && std::isnan(expected))) continue;
    CAPTURE(code);
    CHECK(number == expected);
  }
}
TEST_CASE_TEMPLATE_APPLY(decode_test, AllFormats);

TEST_CASE_TEMPLATE_DEFINE("every number gets its own code back", Each, round_trip_test) {
  using Format = typename Each::Format;
  for (unsigned code = 0; code < (1U << Format::width); ++code) {
    const float number = Format::decode(static_cast<typename Format::Bits>(code));
    if (std::isnan(number)) continue;
    if (Format::encode(number) == code) continue;
    CAPTURE(code);
    CHECK(Format::encode(number) == code);
  }
}
TEST_CASE_TEMPLATE_APPLY(round_trip_test, AllFormats);

TEST_CASE_TEMPLATE_DEFINE("doubles and floats round once, to the code of the oracle", Each,
                          encode_test) {
  using Format = typename Each::Format;
  const auto& tables = ss::tests::minifloat_tables();
  const auto& golden = tables.of(Each::dtype);
  const double largest = Format::decode(static_cast<typename Format::Bits>(Format::largest));
  const double below_largest =
      Format::decode(static_cast<typename Format::Bits>(Format::largest - 1));
  for (std::size_t i = 0; i < tables.values.size(); ++i) {
    const double value = tables.values[i];
    const unsigned code = Format::encode(value);
    if (code != golden.codes[i]) {
      CAPTURE(value);
      CHECK(code == golden.codes[i]);
    }
    const float result = Format::decode(static_cast<typename Format::Bits>(code));
    // F4 and F6 show no overflow in the code: there it starts half a step above the largest number.
    const bool lost = Format::kind == ss::Specials::finite
                          ? std::fabs(value) >= largest + (largest - below_largest) / 2
                          : !std::isfinite(result) && !(std::isinf(value) && Format::has_infinity);
    if (Format::overflows(value) != lost) {
      CAPTURE(value);
      CHECK(Format::overflows(value) == lost);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(encode_test, AllFormats);

TEST_CASE_TEMPLATE_DEFINE("NaN stays NaN in every format that has one", Each, keeps_nan_test) {
  using Format = typename Each::Format;
  if (!Format::has_nan) return;
  for (const double nan :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN(),
        with_bits(std::uint64_t{0x7FF0'0000'0000'0001U})}) {
    CHECK(std::isnan(Format::decode(Format::encode(nan))));
    CHECK_FALSE(Format::overflows(nan));
  }
}
TEST_CASE_TEMPLATE_APPLY(keeps_nan_test, AllFormats);

TEST_CASE("NaN is made quiet and keeps its sign and the upper bits of its payload") {
  CHECK(ss::half(with_bits(0xFFAA'A001U)).bits() == 0xFF55);
  CHECK(ss::half(with_bits(0x7F80'0001U)).bits() == 0x7E00);
  CHECK(ss::bfloat16(with_bits(0xFFA1'0001U)).bits() == 0xFFE1);
  CHECK(ss::float8_e5m2(with_bits(0xFFA0'0000U)).bits() == 0xFF);
  const auto bits = [](float number) { return std::bit_cast<std::uint32_t>(number); };
  CHECK(bits(ss::half::from_bits(0xFD55)) == 0xFFEA'A000U);
  CHECK(bits(ss::bfloat16::from_bits(0xFFA1)) == 0xFFE1'0000U);
  CHECK(bits(ss::float8_e8m0::from_bits(0xFF)) == 0x7FC0'0000U);
}

TEST_CASE("a double near a tie does not round through float") {
  // 1 + 2^-11 is half way between two halves. A little more rounds up, yet float drops the little.
  const double value = 1.0 + 0x1p-11 + 0x1p-40;
  CHECK(ss::half(value).bits() == 0x3C01);
  CHECK(ss::half(static_cast<float>(value)).bits() == 0x3C00);
  CHECK(ss::bfloat16(1.0 + 0x1p-8 + 0x1p-40).bits() == 0x3F81);
}

TEST_CASE_TEMPLATE_DEFINE("the small floating-point types are trivial and as large as their code",
                          Number, is_trivial_test) {
  CHECK(std::is_trivial_v<Number>);
  CHECK(std::is_standard_layout_v<Number>);
  CHECK(sizeof(Number) == sizeof(typename Number::Bits));
  CHECK(std::is_convertible_v<Number, float>);
  CHECK_FALSE(std::is_convertible_v<float, Number>);
  CHECK_FALSE(std::is_constructible_v<Number, std::int64_t>);
}
TEST_CASE_TEMPLATE_APPLY(is_trivial_test, AllNumbers);

TEST_CASE_TEMPLATE_DEFINE("numeric_limits agree with the numbers of all codes", Number,
                          limits_test) {
  using Limits = std::numeric_limits<Number>;
  float largest = 0;
  float lowest = std::numeric_limits<float>::infinity();
  float smallest = std::numeric_limits<float>::infinity();
  float above_one = std::numeric_limits<float>::infinity();
  bool has_infinity = false;
  bool has_nan = false;
  for (unsigned code = 0; code < (1U << (8 * sizeof(Number))); ++code) {
    const float number = from_code<Number>(code);
    has_infinity = has_infinity || std::isinf(number);
    has_nan = has_nan || std::isnan(number);
    if (!std::isfinite(number)) continue;
    largest = std::max(largest, number);
    lowest = std::min(lowest, number);
    if (number > 0) smallest = std::min(smallest, number);
    if (number > 1) above_one = std::min(above_one, number);
  }
  CHECK(Limits::max() == largest);
  CHECK(Limits::lowest() == lowest);
  CHECK(Limits::denorm_min() == smallest);
  CHECK(Limits::epsilon() == above_one - 1);
  CHECK(Limits::has_infinity == has_infinity);
  CHECK(Limits::has_quiet_NaN == has_nan);
  CHECK(Limits::is_signed == (lowest < 0));
  CHECK(std::isinf(Limits::infinity()) == has_infinity);
  CHECK(std::isnan(Limits::quiet_NaN()));
  CHECK(Limits::min() == std::ldexp(1.0F, Limits::min_exponent - 1));
  CHECK(std::ilogb(largest) == Limits::max_exponent - 1);
  CHECK(Limits::max_exponent10 == static_cast<int>(std::floor(std::log10(largest))));
  CHECK(Limits::min_exponent10 ==
        static_cast<int>(std::ceil(std::log10(static_cast<float>(Limits::min())))));
}
TEST_CASE_TEMPLATE_APPLY(limits_test, AllNumbers);

TEST_CASE("the small floating-point types compare and calculate as floats") {
  constexpr ss::half two(2);
  constexpr ss::half three(3.0F);
  static_assert(two < three && two != three && two == 2.0F && (two <=> three) < 0);
  static_assert(two + three == 5.0F && std::is_same_v<decltype(two + three), float>);
  static_assert(-three == -3.0F && std::is_same_v<decltype(-three), ss::half>);
  constexpr auto nan = std::numeric_limits<ss::bfloat16>::quiet_NaN();
  CHECK(nan != nan);
  CHECK((nan <=> nan) == std::partial_ordering::unordered);
  CHECK(std::isnan(nan));
  CHECK(ss::half(-0.0F) == ss::half(0.0F));
  CHECK(std::signbit(static_cast<float>(ss::half(-0.0F))));
}

TEST_CASE("the formats with one zero keep it and their NaN under negation") {
  using Number = ss::float8_e4m3fnuz;
  CHECK((-Number(0)).bits() == 0);
  CHECK((-Number::from_bits(0x80)).bits() == 0x80);
  CHECK(-Number(1.5F) == -1.5F);
  CHECK(Number(-0.0F).bits() == 0);
}

TEST_CASE("E8M0 has NaN for what is not a positive number and clamps what is too small") {
  CHECK(std::isnan(ss::float8_e8m0(0.0F)));
  CHECK(std::isnan(ss::float8_e8m0(-2.0F)));
  CHECK(ss::float8_e8m0(3.0F) == 4.0F);
  CHECK(ss::float8_e8m0(1e-300) == 0x1p-127F);
}
