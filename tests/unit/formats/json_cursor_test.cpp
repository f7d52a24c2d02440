/// \file
/// The cursor through JSON texts: its tokens, what strings and numbers are, and what is no JSON.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "formats/json/cursor.hpp"
#include "support/errors.hpp"

using safestructures::ErrorCode;
using safestructures::json::Cursor;
using safestructures::json::CursorOptions;
using safestructures::json::Token;
using safestructures::test::error_of_void;

namespace {

/// Each token as it is spelled, with a letter for what it is: n name, s string, d number, w word.
std::vector<std::string> tokens(std::string_view text, const CursorOptions& options = {}) {
  std::vector<std::string> result;
  Cursor cursor(text, options);
  while (cursor.next() != Token::end) {
    const char* kind = "";
    switch (cursor.token()) {
      case Token::name: kind = "n:"; break;
      case Token::string: kind = "s:"; break;
      case Token::number: kind = cursor.is_integer() ? "i:" : "d:"; break;
      case Token::boolean:
      case Token::null: kind = "w:"; break;
      default: break;
    }
    result.push_back(kind + std::string(cursor.raw()));
  }
  return result;
}

std::string fault(std::string_view text, const CursorOptions& options = {}) {
  return error_of_void([&] { tokens(text, options); });
}

std::string text_of(std::string_view json) {
  Cursor cursor(json);
  cursor.next();
  return std::string(cursor.string());
}

bool has_huge_exponent(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  return e != std::string_view::npos && text.find_first_not_of("0123456789", e + 1) - e > 3;
}

using Tokens = std::vector<std::string>;

}  // namespace

TEST_CASE("a cursor gives the tokens in order, blanks left out") {
  CHECK(tokens(R"({"a": [1, -2.5e3, "b"], "c": {}})") ==
        Tokens{"{", "n:a", "[", "i:1", "d:-2.5e3", "s:b", "]", "n:c", "{", "}", "}"});
  CHECK(tokens(" \t\r\n[ true ,false,null ] \n") ==
        Tokens{"[", "w:true", "w:false", "w:null", "]"});
  CHECK(tokens("0") == Tokens{"i:0"});
  CHECK(tokens("\"\"") == Tokens{"s:"});
  CHECK(tokens("123456789012345678901234567890") == Tokens{"i:123456789012345678901234567890"});
}

TEST_CASE("a cursor skips the value that it stands on") {
  Cursor cursor(R"({"a": {"b": [1, {"c": 2}]}, "d": 3})");
  cursor.next();
  CHECK(cursor.next() == Token::name);
  CHECK(cursor.next() == Token::object);
  CHECK(cursor.offset() == 6);
  CHECK(cursor.depth() == 2);
  cursor.skip();
  CHECK(cursor.token() == Token::object_end);
  CHECK(cursor.depth() == 1);
  CHECK(cursor.next() == Token::name);
  CHECK(cursor.string() == "d");
  cursor.next();
  cursor.skip();  // A scalar: nothing to skip.
  CHECK(cursor.number() == 3);
}

TEST_CASE("a cursor returns to an array that is still open, from anywhere in it") {
  const std::string text = R"([1, [2, {"a": [3]}, "\n"], 4])";
  Cursor cursor(text);
  const auto next = [&](int count) {
    for (int i = 0; i < count; ++i) cursor.next();
  };
  next(3);
  REQUIRE(cursor.token() == Token::array);
  const std::string_view bracket = cursor.raw();
  const std::size_t depth = cursor.depth();
  for (int steps = 0; steps < 9; ++steps) {
    CAPTURE(steps);
    next(steps);
    cursor.return_to_array(bracket, depth);
    CHECK(cursor.token() == Token::array);
    CHECK(cursor.offset() == 4);
    CHECK(cursor.raw() == "[");
    CHECK(cursor.depth() == 2);
  }
  CHECK(cursor.next() == Token::number);
  CHECK(cursor.raw() == "2");
  next(9);
  CHECK(cursor.raw() == "4");
  next(2);
  CHECK(cursor.token() == Token::end);
}

TEST_CASE("strings are WTF-8: escapes of half a pair are kept") {
  CHECK(text_of(R"("plain")") == "plain");
  CHECK(text_of(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(text_of(R"("\u0041\u00e9\u20AC")") == "Aé€");
  CHECK(text_of(R"("\ud83d\ude00")") == "\xF0\x9F\x98\x80");
  CHECK(text_of(R"("\ud83d")") == "\xED\xA0\xBD");
  CHECK(text_of(R"("\ude00")") == "\xED\xB8\x80");
  CHECK(text_of(R"("\ud83dx")") == "\xED\xA0\xBDx");
  CHECK(text_of(R"("\ud83d\n")") == "\xED\xA0\xBD\n");
  CHECK(text_of(R"("\ud83d\u0041")") == "\xED\xA0\xBD\x41");
  CHECK(text_of(R"("\ud83d\ud83d\ude00")") == "\xED\xA0\xBD\xF0\x9F\x98\x80");
}

TEST_CASE("numbers are the nearest double, and Python's words where they are allowed") {
  const auto number = [](std::string_view text) {
    Cursor cursor(text, {.python_numbers = true});
    REQUIRE(cursor.next() == Token::number);
    return cursor.number();
  };
  CHECK(number("0.1") == 0.1);
  CHECK(number("-0") == 0);
  CHECK(std::signbit(number("-0")));
  CHECK(number("1e400") == HUGE_VAL);
  CHECK(number("1e-400") == 0);
  CHECK(number("4.9e-324") == 4.9e-324);
  CHECK(std::isnan(number("NaN")));
  CHECK(number("Infinity") == HUGE_VAL);
  CHECK(number("-Infinity") == -HUGE_VAL);
}

TEST_CASE("input that is not JSON is refused with its place") {
  struct Case {
    std::string_view text;
    std::string error;
  };
  const std::string no_json = "invalid_schema: the text is not JSON: expected ";
  for (const Case& test : std::vector<Case>{
           {"", no_json + "a value, found its end (byte 0)."},
           {"[", no_json + "a value, found its end (byte 1)."},
           {"[1", no_json + "',' or ']', found its end (byte 2)."},
           {"[1,]", no_json + "a value, found ']' (byte 3)."},
           {"{\"a\"}", no_json + "':', found '}' (byte 4)."},
           {"{\"a\":1,}", no_json + "a name in quotes, found '}' (byte 7)."},
           {"{a:1}", no_json + "a name in quotes, found 'a' (byte 1)."},
           {"[1}", no_json + "',' or ']', found '}' (byte 2)."},
           {"1 2", no_json + "nothing after the value, found '2' (byte 2)."},
           {"01", no_json + "nothing after the value, found '1' (byte 1)."},
           {"1.", no_json + "a digit, found its end (byte 2)."},
           {"-", no_json + "a digit, found its end (byte 1)."},
           {"1e+", no_json + "a digit, found its end (byte 3)."},
           {"+1", no_json + "a value, found '+' (byte 0)."},
           {"tru", no_json + "a value, found its end (byte 3)."},
           {"NaN", no_json + "a value, found 'N' (byte 0)."},
           {"-Infinity", no_json + "a digit, found 'I' (byte 1)."},
           {"\"a", no_json + "'\"', found its end (byte 2)."},
           {"\"\\", no_json + "an escape of JSON, found its end (byte 2)."},
           {"\"\\x\"", no_json + "an escape of JSON, found 'x' (byte 2)."},
           {"\"\\u12g4\"", no_json + "a hexadecimal digit, found 'g' (byte 5)."},
           {"\"\n\"", no_json + "an escape of a control character, found byte 0x0A (byte 1)."},
           {"\"\x1F\"", no_json + "an escape of a control character, found byte 0x1F (byte 1)."},
           {"\"\xFF\"", "invalid_utf8: the text is not UTF-8: found byte 0xFF (byte 1)."},
           {"\"\xED\xA0\xBD\"", "invalid_utf8: the text is not UTF-8: found byte 0xED (byte 1)."},
           {"\xEF\xBB\xBF"
            "1",
            "invalid_schema: the text begins with a byte-order mark (byte 0)."},
       }) {
    CAPTURE(test.text);
    CHECK(fault(test.text) == test.error);
  }
}

TEST_CASE("what the text is, its code and its place in the file are the caller's") {
  const CursorOptions options{
      .what = "the index", .code = ErrorCode::invalid_header, .offset = 100};
  CHECK(fault("[x]", options) ==
        "invalid_header: the index is not JSON: expected a value, found 'x' (byte 101).");
}

TEST_CASE("brackets beyond the limit are refused, and cost a byte each") {
  CHECK(tokens("[[[]]]", {.depth = 3}).size() == 6);
  CHECK(
      fault("[[[]]]", {.depth = 2}) ==
      "limit_exceeded: the text is nested too deeply: expected at most 2 open brackets (byte 2).");
  CHECK(tokens(std::string(100'000, '[') + std::string(100'000, ']'), {.depth = 100'000}).size() ==
        200'000);
}

TEST_CASE("a cursor agrees with nlohmann/json on random texts") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  constexpr std::string_view pieces[] = {"{",           "}",  "[",      "]",    ",",    ":",
                                         "\"a\"",       "1",  "-0.5e1", "true", "null", " ",
                                         "\"\\u0041\"", "\"", "\\",     "0",    "e",    "."};
  int valid = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    const auto count = 1 + random() % 7;
    for (std::size_t k = 0; k < count; ++k) text += pieces[random() % std::size(pieces)];
    if (has_huge_exponent(text)) continue;  // Too large for a double, which nlohmann refuses.
    const bool expected = nlohmann::json::accept(text);
    const bool found = fault(text) == "no error";
    valid += found ? 1 : 0;
    CAPTURE(text);
    REQUIRE(found == expected);
  }
  CHECK(valid > 1000);
}
