/// \file
/// Strings as JSON spells them: escaping and unescaping agree with nlohmann/json on everything.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "formats/safetensors/json_text.hpp"

namespace {

using namespace safestructures::safetensors::detail;

std::string escaped(std::string_view text) {
  std::string result(escaped_bound(text.size()), '?');
  result.resize(static_cast<std::size_t>(escape(text, result.data()) - result.data()));
  return result;
}

struct Result {
  std::string text;
  std::size_t stop;
  StringFault fault;
};

/// Of a string that begins at `spelled`, in memory that ends with it.
Result unescaped(std::string_view spelled) {
  const std::vector<char> exact(spelled.begin(), spelled.end());
  std::string text(spelled.size() + 8, '?');
  const Unescaped done = unescape(exact.data(), exact.data() + exact.size(), text.data());
  text.resize(static_cast<std::size_t>(done.target_end - text.data()));
  return {text, static_cast<std::size_t>(done.stop - exact.data()), done.fault};
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
  }
  const Result open = unescaped(inside);
  CHECK(open.fault == StringFault::no_end);
  CHECK(open.text == text);
}

}  // namespace

TEST_CASE("each byte that JSON escapes is escaped and read at each place of a block") {
  const std::vector<std::string> units = {"\"", "\\",   "\"\"",     "\\\"", "\"\\",
                                          "\n", "\x01", "\xC3\xA9", "a\"b", "\x7F"};
  for (const std::string& unit : units) {
    for (std::size_t before = 0; before < 20; ++before) {
      check(std::string(before, 'x') + unit);
      check(std::string(before, 'x') + unit + "a tail longer than a block");
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
    for (std::size_t left = random() % 60; left > 0; --left)
      text += alphabet[random() % alphabet.size()];
    check(text);
  }
}

TEST_CASE("a fault is found where it is, whatever stands before it") {
  for (std::size_t before = 0; before < 20; ++before) {
    for (const std::string& start : {std::string(before, 'x'), [&] {
                                       std::string quotes;
                                       for (std::size_t i = 0; i < before; ++i) quotes += "\\\"";
                                       return quotes;
                                     }()}) {
      CAPTURE(start);
      const Result bad = unescaped(start + "\\q and more text\"");
      CHECK(bad.fault == StringFault::bad_escape);
      CHECK(bad.stop == start.size());
      const Result lone = unescaped(start + "\\ud800 and more text\"");
      CHECK(lone.fault == StringFault::lone_surrogate);
      CHECK(lone.stop == start.size());
      CHECK(unescaped(start + "\\").fault == StringFault::no_end);
    }
  }
}
