/// \file
/// Numbers in strings.
#pragma once

#include <cmath>
#include <string>

#include "data/text/number.hpp"
#include "fuzz/fuzz.hpp"

namespace fuzz {

inline bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

inline void numbers(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  if (const auto number = ss::detail::parse_float(text)) {
    std::string spelled;
    ss::detail::append_float(spelled, *number);
    const auto again = ss::detail::parse_float(spelled);
    require(again && same(*again, *number), "a float does not round trip");
  }
  if (const auto number = ss::detail::parse_complex(text)) {
    std::string spelled;
    ss::detail::append_complex(spelled, *number);
    const auto again = ss::detail::parse_complex(spelled);
    require(again && same(again->real(), number->real()) && same(again->imag(), number->imag()),
            "a complex number does not round trip");
  }
  if (const auto digits = ss::detail::parse_integer(text)) {
    require(ss::detail::parse_integer(*digits) == digits, "an integer does not round trip");
    const ss::Value value = ss::Value::integer(*digits);
    require(value.integer_text() == *digits, "an integer has other digits");
    require(ss::detail::python_str(value) == *digits, "an integer prints as another");
  }
  expect_errors([&] { static_cast<void>(ss::Value::integer(text)); });
}

}  // namespace fuzz
