/// \file
/// Slices are read as NumPy writes them, and what is no slice is refused with its place.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/slice.hpp>

#include "data/conversion/strided.hpp"

namespace ss = safestructures;

namespace {

using Number = std::optional<std::int64_t>;

struct Part {
  Number start;
  Number stop;
  std::int64_t step = 1;
  bool index = false;
};

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(ss::parse_slices(text));
  } catch (const ss::Error& error) {
    CHECK(error.code() == ss::ErrorCode::invalid_argument);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a slice is read with or without brackets and with blanks anywhere between its parts") {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  const struct {
    std::string text;
    std::vector<Part> parts;
  } cases[] = {
      {"3", {{3, {}, 1, true}}},
      {"-1", {{-1, {}, 1, true}}},
      {"[0]", {{0, {}, 1, true}}},
      {":", {{{}, {}}}},
      {"::", {{{}, {}}}},
      {"2:5", {{2, 5}}},
      {"2:5:", {{2, 5}}},
      {"::-1", {{{}, {}, -1}}},
      {"-3:", {{-3, {}}}},
      {":-3", {{{}, -3}}},
      {"[2:5, ::2]", {{2, 5}, {{}, {}, 2}}},
      {" [ 2 : 5 : 3 , -7 ] ", {{2, 5, 3}, {-7, {}, 1, true}}},
      {"[:,7]", {{{}, {}}, {7, {}, 1, true}}},
      {"-9223372036854775808:9223372036854775807", {{lowest, highest}}},
      {"::-9223372036854775808", {{{}, {}, lowest}}},
  };
  for (const auto& one : cases) {
    CAPTURE(one.text);
    const std::vector<ss::Slice> slices = ss::parse_slices(one.text);
    REQUIRE(slices.size() == one.parts.size());
    for (std::size_t i = 0; i < slices.size(); ++i) {
      CHECK(slices[i].start == one.parts[i].start);
      CHECK(slices[i].stop == one.parts[i].stop);
      CHECK(slices[i].step == one.parts[i].step);
      CHECK(slices[i].index == one.parts[i].index);
    }
  }
}

TEST_CASE("a malformed slice is refused with its text, the place and what was expected") {
  const std::string advice = ". Write a part as in NumPy, such as [2:5, ::2].";
  const struct {
    std::string text;
    std::string expected;
    std::string found;
  } cases[] = {
      {"", "a number or ':'", "the end at character 1"},
      {"[]", "a number or ':'", "']' at character 2"},
      {"[2:x]", "',' or ']'", "'x' at character 4"},
      {"[2:5", "',' or ']'", "the end at character 5"},
      {"2:5]", "',' or the end", "']' at character 4"},
      {"[1]]", "the end", "']' at character 4"},
      {"1,", "a number or ':'", "the end at character 3"},
      {"1,,2", "a number or ':'", "',' at character 3"},
      {"1 2", "',' or the end", "'2' at character 3"},
      {"1.5", "',' or the end", "'.' at character 2"},
      {"+1", "a number or ':'", "'+' at character 1"},
      {"-", "a digit after '-'", "the end at character 2"},
      {"- 1", "a digit after '-'", "'1' at character 3"},
      {"1:2:3:4", "',' or the end", "':' at character 6"},
      {"::0", "a step other than 0", "0 at character 3"},
      {"9223372036854775808", "a number of at most 64 bits", "9223372036854775808 at character 1"},
      {":-9223372036854775809", "a number of at most 64 bits",
       "-9223372036854775809 at character 2"},
      {"...", "a number or ':'", "'.' at character 1"},
  };
  for (const auto& one : cases) {
    CHECK(error_of(one.text) == "cannot read the slice \"" + one.text + "\": expected " +
                                    one.expected + ", found " + one.found + advice);
  }
}

TEST_CASE("a long text is shown shortened in the error") {
  CHECK(error_of(std::string(1000, '7')) ==
        "cannot read the slice \"" + std::string(60, '7') +
            "...\": expected a number of at most 64 bits, found " + std::string(60, '7') +
            "... at character 1. Write a part as in NumPy, such as [2:5, ::2].");
}

TEST_CASE("ranges are resolved exactly as Python's range and slice do") {
  // The oracle walks the indices one by one, as the definition of a Python slice does.
  const auto oracle = [](const ss::Slice& slice, std::int64_t size) {
    std::vector<std::int64_t> indices;
    const auto fix = [&](std::int64_t place) { return place < 0 ? place + size : place; };
    if (slice.step > 0) {
      std::int64_t i = slice.start ? fix(*slice.start) : 0;
      if (i < 0) i = 0;
      const std::int64_t stop = slice.stop ? fix(*slice.stop) : size;
      for (; i < stop && i < size; i += slice.step) indices.push_back(i);
    } else {
      std::int64_t i = slice.start ? fix(*slice.start) : size - 1;
      if (i >= size) i = size - 1;
      const std::int64_t stop = slice.stop ? fix(*slice.stop) : -1;
      for (; i > stop && i >= 0; i += slice.step) indices.push_back(i);
    }
    return indices;
  };
  std::vector<Number> places = {std::nullopt};
  for (std::int64_t i = -7; i <= 7; ++i) places.emplace_back(i);
  std::size_t checked = 0;
  for (std::int64_t size = 0; size <= 5; ++size) {
    for (const Number& start : places) {
      for (const Number& stop : places) {
        for (const std::int64_t step : {1, 2, 3, 9, -1, -2, -3, -9}) {
          const ss::Slice slice{start, stop, step, false};
          const ss::detail::SliceRange range =
              ss::detail::resolve(slice, static_cast<std::uint64_t>(size), 0);
          const std::vector<std::int64_t> expected = oracle(slice, size);
          REQUIRE(range.count == expected.size());
          for (std::size_t i = 0; i < expected.size(); ++i) {
            REQUIRE(static_cast<std::int64_t>(range.start) +
                        static_cast<std::int64_t>(i) * range.step ==
                    expected[i]);
          }
          ++checked;
        }
      }
    }
  }
  CHECK(checked == 6 * 16 * 16 * 8);
}

TEST_CASE("the bounds of 64 bits resolve without overflow") {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  CHECK(ss::detail::resolve({lowest, highest, highest}, 5, 0).count == 1);
  CHECK(ss::detail::resolve({highest, lowest, lowest}, 5, 0).count == 1);
  CHECK(ss::detail::resolve({highest, lowest, lowest}, 5, 0).start == 4);
  CHECK(ss::detail::resolve({}, static_cast<std::uint64_t>(highest), 0).count ==
        static_cast<std::uint64_t>(highest));
  CHECK(ss::detail::resolve({{}, {}, -1}, static_cast<std::uint64_t>(highest), 0).start ==
        static_cast<std::uint64_t>(highest) - 1);
}
