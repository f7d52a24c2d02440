/// \file
/// Strings as JSON spells them: escaping and unescaping agree with nlohmann/json on everything;
/// and what is UTF-8.
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <safestructures/data/error.hpp>
#include "data/text/json_text.hpp"
#include "data/text/utf8.hpp"

namespace {

using namespace safestructures::json;
using safestructures::detail::find_invalid_utf8;
using safestructures::detail::find_invalid_wtf8;
using safestructures::detail::is_ascii;

std::string escaped(std::string_view text) {
  std::string result(escaped_bound(text.size()), '?');
  result.resize(static_cast<std::size_t>(escape(text, result.data()) - result.data()));
  return result;
}

struct Result {
  std::string text;
  std::size_t stop;
  StringFault fault;
  bool has_controls;
};

/// Of a string that begins at `spelled`, in memory that ends with it.
Result unescaped(std::string_view spelled) {
  const std::vector<char> exact(spelled.begin(), spelled.end());
  std::string text(spelled.size() + 8, '?');
  const Unescaped done = unescape(exact.data(), exact.data() + exact.size(), text.data());
  text.resize(static_cast<std::size_t>(done.target_end - text.data()));
  return {text, static_cast<std::size_t>(done.stop - exact.data()), done.fault, done.has_controls};
}

void check(const std::string& text) {
  CAPTURE(text);
  const std::string quoted = nlohmann::json(text).dump();
  const std::string inside = quoted.substr(1, quoted.size() - 2);
  CHECK(escaped(text) == inside);
  for (const std::string_view behind : {"", ",", "\"", "\\\"\\\"\\\"", "plain text and more"}) {
    const Result result = unescaped(inside + "\"" + std::string(behind));
    CHECK(result.fault == StringFault::none);
    CHECK(result.text == text);
    CHECK(result.stop == inside.size() + 1);
    CHECK(!result.has_controls);
  }
  const Result open = unescaped(inside);
  CHECK(open.fault == StringFault::no_end);
  CHECK(open.text == text);
}

std::string utf8(std::uint32_t code) {
  const auto tail = [&](unsigned shift) {
    return static_cast<char>(0x80U | (code >> shift & 0x3FU));
  };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0U | code >> 6U), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0U | code >> 12U), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | code >> 18U), tail(12), tail(6), tail(0)};
}

}  // namespace

TEST_CASE("each byte that JSON escapes is escaped and read at each place of a block") {
  const std::vector<std::string> units = {"\"", "\\",   "\"\"",     "\\\"", "\"\\",
                                          "\n", "\x01", "\xC3\xA9", "a\"b", "\x7F"};
  // Blocks have 8 to 64 bytes.
  for (const std::string& unit : units) {
    for (std::size_t before = 0; before < 70; ++before) {
      check(std::string(before, 'x') + unit);
      check(std::string(before, 'x') + unit + std::string(70, 'y'));
      check(std::string(before, '"') + unit + std::string(before, '"'));
    }
  }
}

TEST_CASE("random strings of quotes, backslashes, controls and text come back") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const std::vector<std::vector<std::string>> alphabets = {
      {"\"", "a"},
      {"\"", "\\", "b"},
      {"{", "\"data_type\": ", "\"value\"", "\"", ", "},
      {"\"", "\\", "\n", "\t", "\x1F", "\xE2\x82\xAC", "\xF0\x9F\x8C\x8D", "text"},
  };
  for (int round = 0; round < 4000; ++round) {
    const auto& alphabet = alphabets[random() % alphabets.size()];
    std::string text;
    for (std::size_t left = random() % 150; left > 0; --left)
      text += alphabet[random() % alphabet.size()];
    check(text);
  }
}

TEST_CASE("a fault is found where it is, whatever stands before it") {
  for (std::size_t before = 0; before < 70; ++before) {
    for (const std::string& start : {std::string(before, 'x'), [&] {
                                       std::string quotes;
                                       for (std::size_t i = 0; i < before; ++i) quotes += "\\\"";
                                       return quotes;
                                     }()}) {
      CAPTURE(start);
      const Result bad = unescaped(start + "\\q and more text" + std::string(64, 'z') + "\"");
      CHECK(bad.fault == StringFault::bad_escape);
      CHECK(bad.stop == start.size());
      const Result lone = unescaped(start + "\\ud800 and more text\"");
      CHECK(lone.fault == StringFault::lone_surrogate);
      CHECK(lone.stop == start.size());
      CHECK(unescaped(start + "\\").fault == StringFault::no_end);
    }
  }
}

TEST_CASE("a control character is found anywhere in a string, and not after it") {
  for (const std::string unit : {"x", "\\\"", "\\n"})
    for (std::size_t before = 0; before < 140; ++before)
      for (const char control : {'\0', '\n', '\x1F', ' '}) {
        std::string text;
        for (std::size_t i = 0; i < before; ++i) text += unit;
        CAPTURE(text);
        const bool is_control = control != ' ';
        CHECK(unescaped(text + control + "\"").has_controls == is_control);
        CHECK(unescaped(text + control + text + "\"").has_controls == is_control);
        CHECK(!unescaped(text + "\"" + control + std::string(70, control)).has_controls);
      }
}

TEST_CASE("a text in quotes is the string that JSON reads, in ASCII where everything is escaped") {
  for (std::uint32_t code = 0; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 0x101) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    const std::string text = "a" + utf8(code) + "b";
    CAPTURE(code);
    std::string appended;
    append_string(appended, text, Escapes::all, nullptr);
    CHECK(quote(text) == appended);
    CHECK(appended == (code == 0x7F ? "\"a\\u007fb\"" : nlohmann::json(text).dump(-1, ' ', true)));
    const std::string readable = quote(text, Escapes::unsafe);
    CHECK(nlohmann::json::parse(readable) == text);
    CHECK(in_ascii(readable) == appended);
    std::string fewest;
    append_escaped(fewest, text);
    CHECK(fewest == nlohmann::json(text).dump());
  }
}

TEST_CASE("bytes that are not UTF-8 are refused, or become the code points of their values") {
  struct Case {
    std::string_view text;
    std::string_view in_ascii;
    std::size_t fault;  // npos where none.
  };
  constexpr std::size_t none = std::string_view::npos;
  for (const Case& one : std::vector<Case>{
           {"a\xFF", R"("a\u00ff")", 1},
           {"ab\xC3", R"("ab\u00c3")", 2},
           {"\xED\xA0\x80", R"("\ud800")", none},
           {"\xED\xB0\x80\xED\xA0\x80", R"("\udc00\ud800")", none},
           {"\xED\xA0\x80\xED\xB0\x80", R"("\ud800\udc00")", 3},
           {"\xED\xA0\x80x\xED\xB0\x80", R"("\ud800x\udc00")", none},
       }) {
    CAPTURE(one.text);
    CHECK(quote(one.text) == one.in_ascii);
    CHECK(quote(one.text, Escapes::unsafe) == one.in_ascii);
    CHECK(find_invalid_wtf8(one.text).value_or(none) == one.fault);
    std::string json;
    try {
      append_string(json, one.text, Escapes::all, nullptr);
      CHECK(one.fault == none);
      CHECK(json == one.in_ascii);
    } catch (const safestructures::Error& error) {
      CHECK(error.code() == safestructures::ErrorCode::invalid_utf8);
      CHECK(error.details().found ==
            "a malformed sequence at byte " + std::to_string(one.fault) + " of the string");
    }
  }
}

TEST_CASE("text is UTF-8 when each of its sequences is that of a code point") {
  std::set<std::string> sequences;  // The beginnings of those of more than one byte.
  std::size_t refused = 0;
  for (std::uint32_t code = 0x80; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    const std::string sequence = utf8(code);
    if (find_invalid_utf8(sequence)) ++refused;
    sequences.insert(sequence.substr(0, 2));
  }
  CHECK(refused == 0);
  for (unsigned lead = 0x80; lead <= 0xFF; ++lead) {
    const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    for (unsigned second = 0; second <= 0xFF; ++second) {
      const std::string start = {static_cast<char>(lead), static_cast<char>(second)};
      const std::string sequence = start + std::string(length - 2, '\x80');
      const bool is_known = sequences.contains(start);
      CAPTURE(lead);
      CAPTURE(second);
      CHECK(find_invalid_utf8(sequence).has_value() == !is_known);
      if (!is_known) continue;
      CHECK(find_invalid_utf8("x" + sequence.substr(0, length - 1)) == 1);
      for (std::size_t i = 1; i < length; ++i) {
        for (const char other : {'\x7F', '\xC0'}) {
          std::string bad = "0123456789" + sequence;
          bad[10 + i] = other;
          CHECK(find_invalid_utf8(bad) == 10);
        }
      }
    }
  }
}

TEST_CASE("text is ASCII when no character of it is beyond, wherever in it") {
  for (std::size_t size = 0; size <= 40; ++size) {
    CAPTURE(size);
    const std::string text(size, '\x7F');
    CHECK(is_ascii(text));
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = '\x80';
      CHECK_FALSE(is_ascii(other));
    }
  }
}
