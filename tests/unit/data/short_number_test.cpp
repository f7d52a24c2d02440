/// \file
/// Numbers in few digits are those that C's printf writes.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "data/text/short_number.hpp"

namespace {

using safestructures::detail::append_scientific;
using safestructures::detail::append_tenths;

std::string printed(const char* format, double number) {
  std::array<char, 400> text;
  const int size = std::snprintf(text.data(), text.size(), format, number);
  return {text.data(), static_cast<std::size_t>(size)};
}

void check(double number) {
  CAPTURE(number);
  std::string text;
  append_scientific(text, number);
  REQUIRE(text == printed("%.2e", number));
  text.clear();
  append_tenths(text, number);
  REQUIRE(text == printed("%.1f", number));
}

/// A number and those next to it, of both signs.
void check_beside(double number) {
  const double below = std::nextafter(number, 0.0);
  const double above = std::nextafter(number, std::numeric_limits<double>::infinity());
  for (const double one : {below, number, above}) {
    check(one);
    check(-one);
  }
}

}  // namespace

TEST_CASE("numbers in few digits are rounded as printf does: ties, and powers of ten") {
  for (const double number : {0.0,
                              0.05,
                              0.15,
                              0.25,
                              0.35,
                              0.45,
                              0.75,
                              0.95,
                              9.95,
                              9.949999,
                              99.95,
                              1.005,
                              1.015,
                              1.125,
                              1.375,
                              9.995,
                              999.5,
                              99999.95,
                              1e5,
                              123456.25,
                              std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::min(),
                              std::numeric_limits<double>::denorm_min()})
    check_beside(number);
  for (int exponent = -30; exponent <= 30; ++exponent)
    for (const double digits : {1.0, 1.005, 1.25, 9.985, 9.995, 9.99, 5.0})
      check_beside(digits * std::pow(10.0, exponent));
  for (int exponent = -80; exponent <= 80; ++exponent) check_beside(std::ldexp(1.0, exponent));
}

TEST_CASE("in few digits, numbers that are not finite are inf or nan") {
  for (const double number :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    std::string text;
    append_scientific(text, number);
    text += ' ';
    append_tenths(text, -number);
    CHECK(text == (std::isnan(number) ? "nan -nan" : "inf -inf"));
  }
}

TEST_CASE("numbers in few digits are those of printf for any bits") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-25, 25);
  for (int i = 0; i < 20'000; ++i) {
    if (const auto any = std::bit_cast<double>(random()); std::isfinite(any)) check(any);
    check(std::pow(10.0, exponent(random)));
    // What tables have: floats, and few digits.
    check(static_cast<double>(static_cast<float>(std::pow(10.0, exponent(random) / 5))));
    check(static_cast<double>(random() % 20'000) / 800);
  }
}
