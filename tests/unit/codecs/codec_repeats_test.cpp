/// \file
/// What a container tells apart and a Value does not, and characters in keys, through each format.
#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/binary_files.hpp"
#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::load_error;
using ss::Kind;
using ss::Value;

namespace {

/// Gives a check what each format loads of what it saves.
template <class T, class Check>
void through_each_format(const T& object, const Check& check) {
  std::vector<ss::test::FormatPointer> formats = ss::test::tree_formats();
  formats.push_back(ss::formats::safestructures());
  for (const ss::test::FormatPointer& format : formats) {
    CAPTURE(format->name());
    check(ss::load<T>(ss::save(object, {.format = format}), {.format = format}));
  }
}

template <class T>
void comes_back(const T& object) {
  through_each_format(object, [&](const T& again) { CHECK(again == object); });
}

using Numbers = std::variant<std::vector<int>, std::vector<long>>;

}  // namespace

TEST_CASE("a set whose items are equal as Values is a list, and comes back as a set") {
  std::set<std::shared_ptr<std::string>> texts;
  for (int i = 0; i < 2; ++i) texts.insert(std::make_shared<std::string>("x"));
  CHECK(Value::from(texts) == Value::list({"x", "x"}));
  through_each_format(texts, [](const auto& again) {
    CHECK(again.size() == 2);
    for (const auto& text : again) CHECK(*text == "x");
  });

  std::set<std::unique_ptr<int>> numbers;
  for (int i = 0; i < 2; ++i) numbers.insert(std::make_unique<int>(5));
  CHECK(Value::from(numbers) == Value::list({5, 5}));
  through_each_format(numbers, [](const auto& again) {
    CHECK(again.size() == 2);
    for (const auto& number : again) CHECK(*number == 5);
  });

  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::unordered_set<double> nans{nan, 1, nan};
  CHECK(Value::from(nans) == Value::list({1.0, nan, nan}));
  through_each_format(nans, [](const auto& again) {
    CHECK(again.size() == 3);
    CHECK(again.contains(1));
  });

  std::set<std::pair<double, std::shared_ptr<int>>> pairs;
  for (int i = 0; i < 2; ++i) pairs.emplace(0.5, std::make_shared<int>(i / 2));
  CHECK(Value::from(pairs).kind() == Kind::list);
  through_each_format(pairs, [](const auto& again) { CHECK(again.size() == 2); });
}

TEST_CASE("a set whose items differ stays a set, in whatever order they come") {
  const auto is_set = [](const auto& items) {
    const Value value = Value::from(items);
    CHECK(value.kind() == Kind::set);
    CHECK(value.size() == items.size());
    comes_back(items);
  };
  is_set(std::set<int, std::greater<>>{1, 2, 3});
  is_set(std::set<double>{-1, -0.0, 1});
  is_set(std::set<std::string>{"", "a", "ab"});
  is_set(std::set<std::pair<int, std::string>>{{1, "b"}, {1, "c"}, {2, "a"}});
  is_set(std::set<std::vector<int>>{{}, {1}, {1, 2}, {2}});
  is_set(std::set<std::variant<int, std::string, bool>>{1, 2, "1", true});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(Value::from(std::set<double>{nan}).kind() == Kind::set);
}

TEST_CASE("the tag of a variant stays when its vector becomes a tuple in a set or a key") {
  const Numbers ints = std::vector<int>{1};
  const Numbers longs = std::vector<long>{1};
  CHECK(Value::from(std::set<Numbers>{longs}).kind() == Kind::set);
  CHECK(Value::from(std::set<Numbers>{ints, longs}).kind() == Kind::list);
  comes_back(std::set<Numbers>{ints, longs});
  comes_back(std::set<Numbers>{longs});
  comes_back(std::map<Numbers, int>{{longs, 5}});
  comes_back(std::map<std::pair<Numbers, int>, int>{{{longs, 2}, 5}});
  using Words = std::variant<std::vector<std::string>, std::vector<std::shared_ptr<std::string>>>;
  const std::set<Words> words{std::vector<std::shared_ptr<std::string>>{nullptr}};
  through_each_format(words, [](const auto& again) { CHECK(again.begin()->index() == 1); });
}

TEST_CASE("characters that are no text come back from keys and sets") {
  using Tag = std::array<char, 4>;
  comes_back(std::map<Tag, int>{{{'\x89', 'P', 'N', 'G'}, 1}, {{'t', 'e', 'x', 't'}, 2}});
  comes_back(std::map<Tag, int>{{{'a', 0, 'c', 'd'}, 1}});
  comes_back(std::set<std::vector<char>>{{'\xff'}, {'a'}, {}});
  comes_back(std::set<std::pair<std::array<char, 2>, int>>{{{'\xff', 'a'}, 1}});
  comes_back(std::map<std::tuple<std::vector<char>, int>, int>{{{{'a', '\0'}, 1}, 2}});
}

TEST_CASE("a list or tuple that is no bytes is no characters") {
  CHECK(Value::list({104, 105}).as<std::vector<char>>() == std::vector<char>{'h', 'i'});
  const Value key = Value::tuple({1, 256});
  CHECK(load_error<std::vector<char>>(key) ==
        "out_of_range: at /1: a number is out of range: expected an int from 0 to 255, found int "
        "256. Load it into a wider type, or choose Overflow::saturate.");
  CHECK(load_error<std::map<std::array<char, 2>, int>>(Value::dict({{key, 1}})) ==
        "out_of_range: at /(1, 256)/1: a number is out of range: expected an int from 0 to 255, "
        "found int 256. Load it into a wider type, or choose Overflow::saturate.");
  CHECK(load_error<std::vector<char>>(Value::tuple({-1})) ==
        "out_of_range: at /0: a number is out of range: expected an int from 0 to 255, found int "
        "-1. Load it into a wider type, or choose Overflow::saturate.");
  CHECK(key.as<std::vector<char>>({.overflow = ss::Overflow::saturate}) ==
        std::vector<char>{'\x01', '\xff'});
  CHECK(load_error<std::vector<char>>(Value::list({1, "a"})) ==
        "type_mismatch: at /1: a value is of another kind: expected int, found str \"a\".");
  CHECK(load_error<std::array<char, 4>>(Value::tuple({1, 2})) ==
        "shape_mismatch: at /: characters have another length than their array: expected 4 bytes, "
        "found 2.");
}
