/// \file
/// Numbers are spelled as Python spells them, and read where Python reads them.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "data/text/number.hpp"

namespace ss = safestructures;
using ss::Value;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string spelled(double value) {
  std::string text;
  ss::detail::append_float(text, value);
  return text;
}

std::string spelled(std::complex<double> value) {
  std::string text;
  ss::detail::append_complex(text, value);
  return text;
}

bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Python's repr(float) by another way: the fewest digits of `%e` that give the double back.
std::string shortest_by_trying(double value) {
  char text[40];
  int digits = 0;
  do std::snprintf(text, sizeof text, "%.*e", digits, value);
  while (std::strtod(text, nullptr) != value && ++digits < 17);
  const int exponent = std::atoi(std::strchr(text, 'e') + 1);
  if (exponent < -4 || exponent >= 16) return text;
  std::snprintf(text, sizeof text, "%.*f", std::max(digits - exponent, 1), value);
  return text;
}

}  // namespace

TEST_CASE("floats are spelled as Python's repr spells them") {
  const std::vector<std::pair<double, const char*>> cases = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {100.0, "100.0"},
      {123456.789, "123456.789"},
      {1e-4, "0.0001"},
      {0.00012345, "0.00012345"},
      {1e-5, "1e-05"},
      {1.5e-7, "1.5e-07"},
      {1e15, "1000000000000000.0"},
      {9999999999999998.0, "9999999999999998.0"},
      {1e16, "1e+16"},
      {1.5e16, "1.5e+16"},
      {1e22, "1e+22"},
      {1e23, "1e+23"},
      {1e100, "1e+100"},
      {-1e-100, "-1e-100"},
      {5e-324, "5e-324"},
      {2.2250738585072014e-308, "2.2250738585072014e-308"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
      {infinity, "inf"},
      {-infinity, "-inf"},
      {std::nan(""), "nan"},
      {-std::nan(""), "nan"},
  };
  for (const auto& [value, text] : cases) {
    CHECK(spelled(value) == text);
    CHECK(same(ss::detail::parse_float(text).value(), value));
  }
}

TEST_CASE("random doubles are spelled with the fewest digits, and come back to the bit") {
  const auto seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100'000; ++i) {
    // Half of any bits, half of the exponents at which the spelling changes.
    double value = std::bit_cast<double>(random());
    if (i % 2 != 0)
      value = std::ldexp(static_cast<double>(random() >> (random() % 60)),
                         static_cast<int>(random() % 80) - 75);
    if (!std::isfinite(value)) continue;
    const std::string text = spelled(value);
    CHECK(same(ss::detail::parse_float(text).value(), value));
    // At powers of two the shortest text need not be the nearest of its length.
    const bool is_power = (std::bit_cast<std::uint64_t>(value) & 0xfffffffffffff) == 0;
    if (i % 10 < 2 && !is_power) CHECK(text == shortest_by_trying(value));
  }
}

TEST_CASE("complex numbers are spelled as Python's str spells them") {
  const std::vector<std::pair<std::complex<double>, const char*>> cases = {
      {{1, 2}, "(1+2j)"},
      {{0, 2}, "2j"},
      {{0, -2}, "-2j"},
      {{-0.0, 2}, "(-0+2j)"},
      {{-0.0, -infinity}, "(-0-infj)"},
      {{1, -0.0}, "(1-0j)"},
      {{0, 0}, "0j"},
      {{0, -0.0}, "-0j"},
      {{1.5e-7, 1e16}, "(1.5e-07+1e+16j)"},
      {{std::nan(""), std::nan("")}, "(nan+nanj)"},
      {{0, std::nan("")}, "nanj"},
      {{infinity, 1.5}, "(inf+1.5j)"},
  };
  for (const auto& [value, text] : cases) {
    CHECK(spelled(value) == text);
    const std::complex<double> read = ss::detail::parse_complex(text).value();
    CHECK(same(read.real(), value.real()));
    CHECK(same(read.imag(), value.imag()));
  }
}

TEST_CASE("a sign and j alone is one") {
  CHECK(ss::detail::parse_complex("-j") == std::complex<double>(0, -1));
  CHECK(ss::detail::parse_complex("+J") == std::complex<double>(0, 1));
  CHECK(ss::detail::parse_complex("j") == std::complex<double>(0, 1));
  CHECK(ss::detail::parse_complex("1-j") == std::complex<double>(1, -1));
  for (const char* text : {"-", "+", "", "()", "jj", "--j", "+-j", "1+", "1-+j", "(j", "e5j", "_j"})
    CHECK_FALSE(ss::detail::parse_complex(text));
}

TEST_CASE("numbers too large or too small become infinity or zero, however they are written") {
  const std::string zeros(400, '0');
  const std::vector<std::pair<std::string, double>> cases = {
      {"1e400", infinity},
      {"-1e400", -infinity},
      {"1e-400", 0.0},
      {"-1e-400", -0.0},
      {"1" + zeros, infinity},
      {"1" + zeros + "e-400", 1.0},
      {"0." + zeros + "1", 0.0},
      {"0." + zeros + "1e401", 1.0},
      {"1e99999999999999999999", infinity},
      {"1e-99999999999999999999", 0.0},
      {"0e99999999999999999999", 0.0},
      {"0.0e-99999999999999999999", 0.0},
      {"1e+400", infinity},
  };
  for (const auto& one : cases) {
    const auto& text = one.first;
    const double value = one.second;
    CAPTURE(text);
    REQUIRE(ss::detail::parse_float(text));
    CHECK(same(*ss::detail::parse_float(text), value));
  }
}

TEST_CASE("integers are read to the last digit") {
  const std::vector<std::pair<const char*, std::optional<std::string>>> cases = {
      {"0", "0"},
      {"-0", "0"},
      {"+5", "5"},
      {"00012", "12"},
      {" \t-12\n", "-12"},
      {"1_000", "1000"},
      {"-0_0", "0"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"", {}},
      {"-", {}},
      {"+-1", {}},
      {"1__0", {}},
      {"_1", {}},
      {"1_", {}},
      {"0x10", {}},
      {"1.0", {}},
      {"1e3", {}},
      {"1 2", {}},
      {"-_1", {}},
      {"- 1", {}},
      {"\xd9\xa1", {}},
  };
  for (const auto& one : cases) {
    const std::string text = one.first;
    CAPTURE(text);
    CHECK(ss::detail::parse_integer(text) == one.second);
  }
  CHECK_FALSE(ss::detail::parse_integer(std::string_view("1\0", 2)));
}

TEST_CASE("keys are labelled by Python's str") {
  Value deep;
  for (int i = 0; i < 100'000; ++i) {
    std::vector<Value> items;
    items.push_back(std::move(deep));
    deep = Value::tuple(std::move(items));
  }
  CHECK(deep.key_label().size() < 100);
  const std::vector<std::pair<Value, std::string>> cases = {
      {Value(), "None"},
      {true, "True"},
      {-12, "-12"},
      {1e-5, "1e-05"},
      {std::complex<double>(0, 1), "1j"},
      {"it's", "it's"},
      {Value::tuple(), "()"},
      {Value::tuple({1}), "(1,)"},
      {Value::tuple({1, "x"}), "(1, 'x')"},
      {Value::tuple({"it's", "\"", "'\"", "\\", "a\n\t\r", std::string_view("\0\x7f", 2)}),
       R"(("it's", '"', '\'"', '\\', 'a\n\t\r', '\x00\x7f'))"},
      {Value::tuple({Value::tuple({Value()}), "é"}), "((None,), 'é')"},
  };
  for (const auto& [value, label] : cases) CHECK(value.key_label() == label);
}
