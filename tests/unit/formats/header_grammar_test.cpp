/// \file
/// The grammar of headers is one, however a header is spelled: the parser for the usual spelling
/// and the general one find the same. Python's verdict on the same family is compared in
/// interop/header_grammar_test.py.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/formats/safetensors/header.hpp>

#include "support/header_maker.hpp"

namespace ss = safestructures;
using ss::safetensors::Header;
using ss::test::header_verdict;
using ss::test::MadeHeader;
using ss::test::reads_in_one_way;

namespace {

/// Members of which a header of 2 bytes may be made, in any order and number.
constexpr std::array<std::string_view, 5> members = {
    R"("__metadata__":{"k":"v"})", R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})",
    R"("b":{"dtype":"U8","shape":[],"data_offsets":[1,2]})",
    R"("__metadata__":{"dtype":"U8","shape":[0],"data_offsets":[2,2]})",
    R"("c":{"dtype":"F4","shape":[0],"data_offsets":[2,2]})"};

/// Calls `check` with every sequence of up to four members.
template <class Check>
void each_sequence(const Check& check) {
  for (std::size_t number = 0; number < 6 * 6 * 6 * 6; ++number) {
    std::vector<std::string_view> chosen;
    for (std::size_t rest = number; rest > 0; rest /= 6)
      if (rest % 6 > 0) chosen.push_back(members[rest % 6 - 1]);
    std::string text = "{";
    for (const std::string_view member : chosen)
      text.append(text.size() > 1 ? "," : "").append(member);
    check(text + "}", chosen);
  }
}

std::size_t count_of(const std::vector<std::string_view>& chosen, std::size_t member) {
  return static_cast<std::size_t>(std::ranges::count(chosen, members[member]));
}

}  // namespace

TEST_CASE("members may come in any order, each once, and metadata is never a tensor") {
  std::size_t read = 0;
  each_sequence([&](const std::string& text, const std::vector<std::string_view>& chosen) {
    CAPTURE(text);
    CHECK(reads_in_one_way({text, 2}));
    const bool is_good = count_of(chosen, 0) <= 1 && count_of(chosen, 1) == 1 &&
                         count_of(chosen, 2) == 1 && count_of(chosen, 3) == 0 &&
                         count_of(chosen, 4) <= 1;
    const std::string verdict = header_verdict(text, 2);
    CHECK((verdict.find("U8 [] 1 2") != std::string::npos) == is_good);
    if (!is_good) return;
    ++read;
    CHECK((verdict.find("k=v") == 0) == (count_of(chosen, 0) == 1));
  });
  CHECK(read > 30);
  const auto verdict = [](std::string_view text) { return header_verdict(text, 0); };
  const std::string empty = R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  CHECK(verdict("{" + empty +
                R"(,"__metadata__":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})") ==
        R"(invalid_metadata: "__metadata__" holds a value that is not a string, of key "shape")");
  CHECK(verdict(R"({"__metadata__":{},)" + empty + R"(,"__metadata__":{}})") ==
        R"(duplicate_name: "__metadata__" occurs twice)");
}

TEST_CASE("a blank may be wherever JSON has one, and changes nothing") {
  const std::string text =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"U8","shape":[1,1],"data_offsets":[0,1]}})";
  const std::string good = header_verdict(text, 1);
  REQUIRE(good == "k=v\na U8 [1, 1] 0 1\n");
  std::size_t same = 0;
  std::size_t other_name = 0;
  for (std::size_t i = 0; i <= text.size(); ++i)
    for (const char blank : {' ', '\t', '\n', '\r'}) {
      std::string with = text;
      with.insert(i, 1, blank);
      CAPTURE(with);
      CHECK(reads_in_one_way({with, 1}));
      const auto quotes =
          std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i), '"');
      const bool is_inside_string = quotes % 2 == 1;
      const bool is_inside_number =
          i > 0 && i < text.size() && text[i - 1] == '1' && text[i] == '1';
      REQUIRE_FALSE(is_inside_number);
      if (is_inside_string) ++other_name;
      else {
        CHECK(header_verdict(with, 1) == good);
        ++same;
      }
    }
  CHECK(same > 100);
  CHECK(other_name > 100);
}

TEST_CASE("headers near the grammar are read or refused in one way") {
  const unsigned seed = std::random_device()();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  std::size_t read = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto choose = [&](std::size_t n) -> std::size_t { return random() % n; };
    const MadeHeader made = ss::test::HeaderMaker(choose).make();
    CAPTURE(made.text);
    REQUIRE(reads_in_one_way(made));
    if (header_verdict(made.text, made.data_size).find(": ") == std::string::npos) ++read;
  }
  CHECK(read > 1000);
}

TEST_CASE("a number that wraps in 64 bits, or has 20 digits, is no small one") {
  // 2^64 is 0 and 2^64 + 1 is 1 where nobody looks.
  for (const std::string number :
       {"18446744073709551616", "18446744073709551617", "00000000000000000000",
        "00000000000000000001", "36893488147419103232", "100000000000000000000"}) {
    CAPTURE(number);
    const MadeHeader shape{
        R"({"a":{"dtype":"U8","shape":[)" + number + R"(],"data_offsets":[0,0]}})", 0};
    const MadeHeader offset{
        R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[)" + number + "," + number + "]}}", 0};
    for (const MadeHeader& made : {shape, offset}) {
      CHECK(header_verdict(made.text, 0).starts_with("invalid_"));
      CHECK(reads_in_one_way(made));
    }
  }
  const std::string largest =
      R"({"a":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,0]}})";
  CHECK(header_verdict(largest, 0) == "invalid_shape: the shape is too large");
}

TEST_CASE("every control byte in a string is refused, escaped ones are read") {
  for (unsigned byte = 0; byte < 0x20; ++byte)
    for (const std::string escape : {"", "\\u00e9"}) {
      CAPTURE(byte);
      const MadeHeader made{R"({"__metadata__":{"k":")" + escape + static_cast<char>(byte) + "\"}}",
                            0};
      CHECK(header_verdict(made.text, 0) == "invalid_header: the header is not valid JSON");
      CHECK(reads_in_one_way(made));
    }
  CHECK(header_verdict("{\"__metadata__\":{\"k\":\"\x20\x7f\\u001f\"}}", 0) == "k= \x7f\x1f\n");
}
