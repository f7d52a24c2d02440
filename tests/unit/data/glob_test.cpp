/// \file
/// What a glob matches, in any locale, however long.
#include <fnmatch.h>

#include <cstddef>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "data/text/glob.hpp"

using safestructures::detail::matches_glob;

TEST_CASE("globs match what the table says, which Python reads too") {
  std::ifstream table(SAFESTRUCTURES_TEST_DATA "/globs.txt");
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    REQUIRE(second != std::string::npos);
    CAPTURE(line);
    const std::string text = line.substr(first + 1, second - first - 1);
    CHECK(matches_glob(line.substr(0, first), text) == (line.substr(second + 1) == "yes"));
    ++rows;
  }
  CHECK(rows > 70);
}

TEST_CASE("a zero byte is a character like others, and so is a byte that is no UTF-8") {
  using namespace std::string_view_literals;
  CHECK_FALSE(matches_glob("a", "a\0b"sv));
  CHECK(matches_glob("a?b", "a\0b"sv));
  CHECK(matches_glob("a\0*"sv, "a\0b"sv));
  CHECK(matches_glob("?\xFF?", "\xC3\xFF\xE2"));
  CHECK_FALSE(matches_glob("??", "\xC3\xA9"));
  CHECK_FALSE(matches_glob("\xC3", "\xC3\xA9"));
}

TEST_CASE("many stars take no more than the product of the lengths") {
  std::string glob;
  for (int i = 0; i < 200; ++i) glob += "*a";
  CHECK_FALSE(matches_glob(glob + "b", std::string(20'000, 'a')));
  CHECK(matches_glob(glob + "*", std::string(20'000, 'a')));
}

TEST_CASE("of ASCII a glob matches what the system's fnmatch says") {
  // Without '\0', and '=' and '.', which name collating elements there.
  constexpr std::string_view alphabet = "aabbc*?[]!^-\\/:";
  std::mt19937 random(11);
  const auto text_of = [&](std::size_t most) {
    std::string text;
    for (std::size_t size = random() % (most + 1); size > 0; --size)
      text += alphabet[random() % alphabet.size()];
    return text;
  };
  int matches = 0;
  for (int i = 0; i < 300'000; ++i) {
    const std::string glob = text_of(7);
    const std::string text = text_of(4);
    const bool expected = ::fnmatch(glob.c_str(), text.c_str(), 0) == 0;
    matches += expected ? 1 : 0;
    if (matches_glob(glob, text) == expected) continue;
    CAPTURE(glob);
    CAPTURE(text);
    CHECK(matches_glob(glob, text) == expected);
  }
  CHECK(matches > 3000);
}
