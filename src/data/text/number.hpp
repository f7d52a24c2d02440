/// \file
/// Numbers as Python spells them.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Appends Python's `repr(float)`: the shortest digits that give the same double, `1e-05`, `1e+16`,
/// `inf`, `nan`, `-0.0`.
void append_float(std::string& text, double value);

/// The most that `write_float` writes: `-2.2250738585072014e-308`.
inline constexpr std::size_t longest_float = 24;

/// The same into memory that has room. \returns behind the last byte written
char* write_float(char* target, double value);

/// The same for JSON, which has no such numbers as `"NaN"`, `"Infinity"` and `"-Infinity"`.
std::string json_number(double value);

/// Appends Python's `str(complex)`: `(1+2j)`, `2j`, `(-0-infj)`.
void append_complex(std::string& text, std::complex<double> value);

/// Reads what Python's `float()` reads, ASCII digits only: blanks around, underscores between
/// digits, `infinity` and `nan` in any case and with a sign.
std::optional<double> parse_float(std::string_view text);

/// Reads what Python's `complex()` reads, ASCII digits only: with or without parentheses.
std::optional<std::complex<double>> parse_complex(std::string_view text);

/// The canonical digits of what Python's `int()` reads, ASCII digits only: blanks around, a sign,
/// underscores between digits, leading zeros.
std::optional<std::string> parse_integer(std::string_view text);

/// Python's `str(value)` of a scalar, string, bytes, or tuple of these; the type's name of others.
std::string python_str(const Value& value);

}  // namespace safestructures::inline v0::detail
