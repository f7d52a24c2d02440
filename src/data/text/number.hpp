/// \file
/// Numbers formatted and parsed as in Python.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Appends Python's `repr(float)`: the shortest digits that give the same double, such as `1e-05`,
/// `1e+16`, `inf`, `nan`, `-0.0`.
void append_float(std::string& text, double value);

/// Returns the double whose shortest digits are those of a float, so that 0.1F is shown as 0.1.
double with_shortest_digits(float value);

/// The longest output of `write_float`: `-2.2250738585072014e-308`.
inline constexpr std::size_t longest_float = 24;

/// The same for memory with enough room. \returns the end of the bytes written
char* write_float(char* target, double value);

/// Formats a number for JSON, which has no non-finite numbers: these become the strings `"NaN"`,
/// `"Infinity"` and `"-Infinity"`.
std::string json_number(double value);

/// Appends Python's `str(complex)`: `(1+2j)`, `2j`, `(-0-infj)`.
void append_complex(std::string& text, std::complex<double> value);

/// Parses what Python's `float()` accepts, with ASCII digits only: surrounding blanks, underscores
/// between digits, and `infinity` and `nan` in any case and with a sign. Returns null for anything
/// else.
std::optional<double> parse_float(std::string_view text);

/// Parses what Python's `complex()` accepts, with ASCII digits only, with or without parentheses.
std::optional<std::complex<double>> parse_complex(std::string_view text);

/// Returns the canonical digits of what Python's `int()` accepts, with ASCII digits only:
/// surrounding blanks, a sign, underscores between digits, leading zeros.
std::optional<std::string> parse_integer(std::string_view text);

/// Returns Python's `str(value)` for a scalar, string, bytes, or tuple of these; the type's name
/// for others.
std::string python_str(const Value& value);

}  // namespace safestructures::inline v0::detail
