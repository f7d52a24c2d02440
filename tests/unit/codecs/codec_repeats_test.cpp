/// \file
/// What a container tells apart and a Value does not, and characters in keys, through each format.
#include <doctest/doctest.h>

#include <array>
#include <compare>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
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

/// All keys collide: what is tested tells them apart by equality.
struct KeyHash {
  std::size_t operator()(const auto&) const { return 0; }
};

/// Tells the zeros apart.
struct LessByBits {
  bool operator()(double a, double b) const { return std::strong_order(a, b) < 0; }
};

/// Values as they come, as items of a set.
struct ValueSet : std::vector<Value> {
  using std::vector<Value>::vector;
};

}  // namespace

template <>
struct safestructures::Codec<ValueSet> : safestructures::SetCodec<ValueSet> {};

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
  is_set(std::set<std::variant<int, std::string, bool>>{2, 3, "1", true});
  is_set(std::set<std::variant<double, std::int64_t>>{0.5, 2.0, std::int64_t{0}, std::int64_t{1}});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(Value::from(std::set<double>{nan}).kind() == Kind::set);
}

TEST_CASE("a map or set of which Python would lose an entry is a list, and comes back as it was") {
  using Key = std::variant<bool, std::int64_t, double, std::string>;
  const std::int64_t one = 1;
  const auto is_list = [](const auto& object) {
    const Value value = Value::from(object);
    CHECK(value.kind() == Kind::list);
    CHECK(value.size() == object.size());
    comes_back(object);
  };
  CHECK(Value::from(std::map<Key, std::string>{{true, "yes"}, {one, "one"}}) ==
        Value::list({Value::tuple({true, "yes"}), Value::tuple({1, "one"})}));
  is_list(std::map<Key, std::string>{{true, "yes"}, {one, "one"}});
  is_list(std::map<Key, int>{{false, 1}, {-0.0, 2}, {"0", 3}});
  is_list(std::unordered_map<Key, int, KeyHash>{{one, 1}, {"1", 2}, {1.0, 3}});
  is_list(std::map<std::pair<Key, int>, int>{{{true, 2}, 1}, {{one, 2}, 2}});
  is_list(std::map<std::vector<Key>, int>{{{true, "a"}, 1}, {{1.0, "a"}, 2}});
  is_list(std::set<std::variant<bool, std::int64_t>>{true, one, std::int64_t{2}});
  is_list(std::set<std::variant<std::int64_t, double>>{std::int64_t{1} << 62, 0x1p62});
  is_list(std::set<std::variant<std::uint64_t, float>>{std::uint64_t{1} << 63, 0x1p63F});
  using Complex = std::variant<double, std::complex<double>>;
  is_list(std::unordered_set<Complex, KeyHash>{1.5, std::complex<double>(1.5, -0.0)});
  is_list(std::unordered_set<Complex, KeyHash>{-0.0, std::complex<double>(0, 0)});
  // Of one kind, but with both zeros; NaN beside them is no obstacle.
  using ByBits = std::set<double, LessByBits>;
  is_list(ByBits{0.0, -0.0, 1.5});
  is_list(std::map<double, int, LessByBits>{{0.0, 1}, {-0.0, 2}});

  // Of a Value's keys those within frozen sets count, too, and integers of any size.
  const auto frozen = [](std::vector<Value> items) {
    Value set = Value::set(std::move(items));
    set.set_type_name("frozenset");
    return set;
  };
  const Value large = Value::integer("1" + std::string(22, '0'));
  const auto list_of = [](const Value& a, const Value& b) {
    return Value::from(ValueSet{a, b}) == Value::list({a, b});
  };
  CHECK(list_of(frozen({1, 2}), frozen({2.0, true})));
  CHECK(list_of(Value::tuple({frozen({0.0})}), Value::tuple({frozen({-0.0})})));
  CHECK(list_of(large, 1e22));
  CHECK(list_of(std::complex<double>(0.0, 1), std::complex<double>(-0.0, 1)));
  CHECK_FALSE(list_of(large, 1e23));
  CHECK_FALSE(list_of(frozen({1, 2}), frozen({2.5, true})));
}

TEST_CASE("a map whose keys C++ alone tells apart is a list, whatever other keys it has") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Key = std::variant<double, std::int64_t>;
  const auto size_of_list = [](const auto& map) {
    const Value value = Value::from(map);
    CHECK(value.kind() == Kind::list);
    return ss::load<std::remove_cvref_t<decltype(map)>>(ss::save(map)).size();
  };
  CHECK(size_of_list(std::unordered_map<double, int>{{nan, 1}, {nan, 2}}) == 2);
  CHECK(size_of_list(std::unordered_map<Key, int>{{nan, 1}, {nan, 2}}) == 2);
  CHECK(size_of_list(std::unordered_map<Key, int>{{nan, 1}, {nan, 2}, {std::int64_t{1}, 3}}) == 3);
  using Tuples = std::variant<std::vector<std::int64_t>, std::tuple<std::int64_t, std::int64_t>>;
  const std::map<Tuples, int> tuples{{std::vector<std::int64_t>{1, 2}, 1}, {std::tuple(1, 2), 2}};
  CHECK(Value::from(tuples) == Value::list({Value::tuple({Value::tuple({1, 2}), 1}),
                                            Value::tuple({Value::tuple({1, 2}), 2})}));
}

TEST_CASE("a map whose keys are nested too deeply to be checked is a list") {
  Value deep = 1;
  for (int i = 0; i < 300'000; ++i) {
    std::vector<Value> items;
    items.push_back(std::move(deep));
    deep = Value::set(std::move(items));
    deep.set_type_name("frozenset");
  }
  ValueSet set;
  set.push_back(std::move(deep));
  CHECK(Value::from(set).kind() == Kind::list);
}

TEST_CASE("a map of numbers that are unlike in Python, too, stays a dict") {
  using Key = std::variant<bool, std::int64_t, double, std::string>;
  const std::int64_t two = 2;
  const auto is_dict = [](const auto& map) {
    CHECK(Value::from(map).kind() == Kind::dict);
    comes_back(map);
  };
  is_dict(std::map<Key, int>{{true, 1}, {two, 2}, {2.5, 3}, {"1", 4}});
  is_dict(std::map<Key, int>{{true, 1}, {1e308, 2}, {std::numeric_limits<double>::infinity(), 3}});
  is_dict(std::map<std::variant<std::int64_t, double>, int>{{two << 52, 1}, {0x1p53 + 2, 2}});
  is_dict(std::map<std::pair<bool, double>, int>{{{true, 1}, 1}, {{true, 2}, 2}, {{false, 1}, 3}});
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
        "type_mismatch: at /1: a value has the wrong type: expected int, found str \"a\".");
  CHECK(load_error<std::array<char, 4>>(Value::tuple({1, 2})) ==
        "shape_mismatch: at /: the characters do not fill their array: expected 4 bytes, "
        "found 2.");
}
