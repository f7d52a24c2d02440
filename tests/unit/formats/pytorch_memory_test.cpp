/// \file
/// What a hostile pickle costs: memory and time in proportion to its size.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/cost.hpp"
#include "support/counting_memory.hpp"
#include "support/pytorch_cases.hpp"

namespace ss = safestructures;
using counting_memory::peak_of;
using ss::test::check_linear;
using namespace ss::test::pickled;
using namespace std::string_literals;

namespace {

/// A file of before 1.6, whose pickle is of that value.
std::string old_file(const std::string& value) {
  return "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19." + program(number(1001)) +
         program("}") + program(value) + program("]" + text("0") + "a") + ss::test::little(4, 8) +
         std::string(16, 'a');
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

bool load(const std::string& file) {
  try {
    const auto bytes = std::as_bytes(std::span(file));
    return ss::formats::pytorch()->read(ss::Source::of(bytes, nullptr), {}).tensor_count <
           1'000'000;
  } catch (const ss::Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("the memory to load a hostile pickle is at most 200 times its size") {
  constexpr std::size_t count = 65536;
  double worst = 0;
  for (const std::string_view item :
       {"]", "}", ")", "N", "K\x01", "\x8f", "]]a", "}NNs", "U\x01x", "C\x01x", "G        ", "(",
        "(t", "Nq\x01", "cA\nB\n", "cA\nB\n)R", "cA\nB\n)\x81"}) {
    CAPTURE(item);
    const std::string file = old_file("(" + repeated(item, count) + "t" + storage() + "\x86");
    const std::size_t used = peak_of([&] { static_cast<void>(load(file)); });
    CHECK(used <= 200 * file.size() + (1U << 20U));
    worst = std::max(worst, static_cast<double>(used) / static_cast<double>(file.size()));
  }
  MESSAGE("the most: " << worst << " times its size");
}

TEST_CASE("a length that a pickle announces costs nothing") {
  for (const std::string_view item :
       {"X\xff\xff\xff\x7f", "B\xff\xff\xff\x7f", "\x8b\xff\xff\xff\x7f", "Nr\xff\xff\xff\x7f",
        "\x8d\xff\xff\xff\xff\xff\xff\xff\x7f", "\x96\xff\xff\xff\xff\xff\xff\xff\x7f"})
    CHECK(peak_of([&] { CHECK_FALSE(load(old_file(std::string(item)))); }) < (1U << 16U));
}

TEST_CASE("the time to load a hostile pickle grows with its size, not with its square") {
  struct Attack {
    std::string name;
    std::string (*value)(std::size_t size);
  };
  // Each has one large part, to which it refers as often as that is large.
  const std::vector<Attack> attacks = {
      {"the key of a storage",
       [](std::size_t size) {
         return text(std::string(100 * size, '0')) + "q\0"s + "0(" +
                repeated("(" + text("storage") + global("torch", "FloatStorage") + "h\0"s + "NNtQ",
                         size) +
                "t";
       }},
      {"the properties of a tensor",
       [](std::size_t size) {
         return "}(" + repeated(text("abcdef") + "N", 10 * size) + "u" + "q\0"s + "0(" +
                repeated(call(global("torch._utils", "_rebuild_tensor_v2"),
                              storage() + number(0) + "))\x89N" + "h\0"s),
                         size) +
                "t";
       }},
      {"the shape of a tensor",
       [](std::size_t size) {
         return "(" + repeated("K\x01", 10 * size) + "tq\0"s + "0(" +
                repeated(call(global("torch._utils", "_rebuild_tensor_v2"),
                              storage() + number(0) + "h\0h\0"s),
                         size) +
                "t";
       }},
      {"the name of a class",
       [](std::size_t size) {
         return text(std::string(100 * size, 'x')) + "q\0"s + "0(" + repeated("h\0h\0\x93"s, size) +
                "t";
       }},
      {"a text",
       [](std::size_t size) {
         return text(std::string(20 * size, 'x')) + "q\0"s + "0(" + repeated("h\0"s, size) + "t";
       }},
  };
  for (const Attack& attack : attacks) {
    const std::string small = old_file(attack.value(4000));
    const std::string large = old_file(attack.value(32000));
    check_linear(attack.name, [&](std::size_t n) { load(n == 1 ? small : large); }, 1);
  }
}
