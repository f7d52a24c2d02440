#include "data/text/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <system_error>
#include <vector>

namespace safestructures::inline v0::detail {
namespace {

constexpr std::string_view blanks = " \t\n\v\f\r";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Removes underscores, each of which must be between two digits.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      result += text[i];
      continue;
    }
    if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1]))
      return std::nullopt;
  }
  return result;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// Parses the whole text as an unsigned decimal float.
std::optional<double> parse_magnitude(std::string_view text) {
  if (equals_ignoring_case(text, "inf") || equals_ignoring_case(text, "infinity"))
    return std::numeric_limits<double>::infinity();
  if (equals_ignoring_case(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  // from_chars would accept "infinity(..." and the like; only digits, a point and an exponent pass.
  if (text.empty() || !(is_digit(text.front()) || text.front() == '.')) return std::nullopt;
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
  });
  if (!is_plain) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc()) return value;
  if (error != std::errc::result_out_of_range) return std::nullopt;
  // Python returns inf for numbers that are too large and 0 for those too small; from_chars does
  // not tell which it is. The exponent does, once the digits before the point are added to it.
  const std::size_t e = text.find_first_of("eE");
  // Far beyond any double, and far enough from the limits that a text's length can be added.
  constexpr long long most = std::numeric_limits<long long>::max() / 2;
  long long exponent = 0;
  if (e != std::string_view::npos) {
    const std::string_view digits = text.substr(text[e + 1] == '+' ? e + 2 : e + 1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc())
      exponent = digits.front() == '-' ? -most : most;
    exponent = std::clamp(exponent, -most, most);
  }
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_not_of("0.");
  const auto scale = first < point ? static_cast<long long>(point - first)
                                   : -static_cast<long long>(first - point);
  return exponent + scale > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

std::optional<double> parse_signed(std::string_view text) {
  const bool has_sign = !text.empty() && (text.front() == '+' || text.front() == '-');
  const auto magnitude = parse_magnitude(text.substr(has_sign ? 1 : 0));
  if (!magnitude) return std::nullopt;
  return has_sign && text.front() == '-' ? -*magnitude : *magnitude;
}

/// Returns the end of the signed float at the start of `text`, or 0.
std::size_t float_prefix(std::string_view text) {
  std::size_t i = !text.empty() && (text.front() == '+' || text.front() == '-') ? 1 : 0;
  for (const std::string_view word : {"infinity", "inf", "nan"})
    if (equals_ignoring_case(text.substr(i, word.size()), word)) return i + word.size();
  const std::size_t digits = i;
  while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
  if (i == digits) return 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t exponent = i + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) {
      i = exponent;
      while (i < text.size() && is_digit(text[i])) ++i;
    }
  }
  return i;
}

/// Appends a part of a complex number: like repr(float), but without a trailing ".0" (Python's
/// format 'r' without Py_DTSF_ADD_DOT_0).
void append_part(std::string& text, double value) {
  append_float(text, value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
}

}  // namespace

char* write_float(char* target, double value) {
  const auto put = [&](std::string_view text) {
    std::memcpy(target, text.data(), text.size());
    target += text.size();
  };
  if (!std::isfinite(value)) {
    put(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return target;
  }
  std::array<char, 32> buffer;
  const char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                        std::chars_format::scientific)
                              .ptr;
  // [-]d[.ddd]e[+-]xx[x]
  char* digits = buffer.data();
  if (*digits == '-') *target++ = *digits++;
  const char* const e = end[-4] == 'e' ? end - 4 : end - 5;
  int exponent = 0;
  for (const char* digit = e + 2; digit != end; ++digit) exponent = exponent * 10 + (*digit - '0');
  if (e[1] == '-') exponent = -exponent;
  // The first digit moves in front of the others, to where the point was.
  if (digits[1] == '.') {
    digits[1] = digits[0];
    ++digits;
  }
  const std::string_view all(digits, static_cast<std::size_t>(e - digits));

  // As in CPython, float_repr_style 'short': exponents below -4 or from 16 on.
  if (exponent < -4 || exponent >= 16) {
    put(all.substr(0, 1));
    if (all.size() > 1) {
      put(".");
      put(all.substr(1));
    }
    put({e, static_cast<std::size_t>(end - e)});
  } else if (exponent < 0) {
    put(std::string_view("0.000").substr(0, static_cast<std::size_t>(1 - exponent)));
    put(all);
  } else {
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    if (all.size() <= whole) {
      put(all);
      put(std::string_view("0000000000000000").substr(0, whole - all.size()));
      put(".0");
    } else {
      put(all.substr(0, whole));
      put(".");
      put(all.substr(whole));
    }
  }
  return target;
}

void append_float(std::string& text, double value) {
  std::array<char, longest_float> number;
  text.append(number.data(), write_float(number.data(), value));
}

double with_shortest_digits(float value) {
  if (!std::isfinite(value)) return static_cast<double>(value);
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  double result = 0;
  std::from_chars(buffer.data(), end, result);
  return result;
}

std::string json_number(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  std::string digits;
  append_float(digits, value);
  return digits;
}

void append_complex(std::string& text, std::complex<double> value) {
  // As in CPython's complex_repr: a real part of +0.0 is omitted, and with it the parentheses.
  const bool pure = value.real() == 0 && !std::signbit(value.real());
  if (!pure) {
    text += '(';
    append_part(text, value.real());
    if (!std::signbit(value.imag()) || std::isnan(value.imag())) text += '+';
  }
  append_part(text, value.imag());
  text += pure ? "j" : "j)";
}

std::optional<double> parse_float(std::string_view text) {
  // As `repr` formats it, except for words.
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  if (text.size() > sign && is_digit(text[sign])) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
  }
  const auto plain = without_underscores(trim(text));
  return plain ? parse_signed(*plain) : std::nullopt;
}

std::optional<std::complex<double>> parse_complex(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')')
    text = trim(text.substr(1, text.size() - 2));
  const auto plain = without_underscores(text);
  if (!plain || plain->empty()) return std::nullopt;
  std::string_view rest = *plain;
  const auto is_j = [](char c) { return c == 'j' || c == 'J'; };
  // A bare or signed j means 1.
  const auto imaginary = [&](std::string_view part) -> std::optional<double> {
    if (part.empty() || !is_j(part.back())) return std::nullopt;
    part.remove_suffix(1);
    if (part.empty() || part == "+") return 1.0;
    if (part == "-") return -1.0;
    return parse_signed(part);
  };
  if (const auto value = imaginary(rest)) return std::complex<double>(0.0, *value);
  const std::size_t end = float_prefix(rest);
  if (end == 0) return std::nullopt;
  const auto real = parse_signed(rest.substr(0, end));
  if (!real) return std::nullopt;
  rest.remove_prefix(end);
  if (rest.empty()) return std::complex<double>(*real, 0.0);
  if (rest.front() != '+' && rest.front() != '-') return std::nullopt;
  const auto value = imaginary(rest);
  return value ? std::optional(std::complex<double>(*real, *value)) : std::nullopt;
}

std::optional<std::string> parse_integer(std::string_view text) {
  auto plain = without_underscores(trim(text));
  if (!plain || plain->empty()) return std::nullopt;
  std::string_view digits = *plain;
  const bool negative = digits.front() == '-';
  if (negative || digits.front() == '+') digits.remove_prefix(1);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (digits == "0") return "0";
  return (negative ? "-" : "") + std::string(digits);
}

namespace {

/// Appends Python's repr of a str, for keys inside tuples, or of bytes with ASCII letters.
void append_quoted(std::string& label, const std::string& text, bool is_bytes = false) {
  const bool has_single = text.find('\'') != std::string::npos;
  const char quote = has_single && text.find('"') == std::string::npos ? '"' : '\'';
  label += quote;
  for (const char c : text) {
    if (c == quote || c == '\\') {
      label += '\\';
      label += c;
    } else if (c == '\n') {
      label += "\\n";
    } else if (c == '\r') {
      label += "\\r";
    } else if (c == '\t') {
      label += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f ||
               (is_bytes && static_cast<unsigned char>(c) >= 0x80)) {
      std::array<char, 8> escape;
      label.append(escape.data(), static_cast<std::size_t>(std::snprintf(
                                      escape.data(), escape.size(), "\\x%02x",
                                      static_cast<unsigned>(static_cast<unsigned char>(c)))));
    } else {
      label += c;
    }
  }
  label += quote;
}

/// As deep as tuples may be nested in keys (is_hashable), plus one for tuples that contain
/// unhashable ones.
constexpr int label_depth = 17;

void append_label(std::string& label, const Value& key, bool quoted, int depth = label_depth) {
  switch (key.kind()) {
    case Kind::none: label += "None"; break;
    case Kind::boolean: label += key.as_bool() ? "True" : "False"; break;
    case Kind::integer: label += key.integer_text(); break;
    case Kind::floating: append_float(label, key.as_double()); break;
    case Kind::complex: append_complex(label, key.as_complex()); break;
    case Kind::string:
      if (quoted) append_quoted(label, key.as_string());
      else label += key.as_string();
      break;
    case Kind::bytes: {
      label += 'b';
      const auto bytes = key.tensor().bytes();
      append_quoted(label, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                    true);
      break;
    }
    case Kind::tuple: {
      if (depth == 0) {
        label += "(...)";
        break;
      }
      label += '(';
      const std::vector<Value>& items = key.items();
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) label += ", ";
        append_label(label, items[i], true, depth - 1);
      }
      label += items.size() == 1 ? ",)" : ")";
      break;
    }
    default: label += key.type_name().empty() ? to_string(key.kind()) : key.type_name(); break;
  }
}

}  // namespace

std::string python_str(const Value& value) {
  std::string text;
  append_label(text, value, false);
  return text;
}

}  // namespace safestructures::inline v0::detail
