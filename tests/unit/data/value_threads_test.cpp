// A value may be read by many threads at once, be it const or not, and a copy is a reading.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <safestructures/data/value.hpp>

using safestructures::Value;

namespace {

const std::string text = "a text that does not lie inside of its string";

}  // namespace

TEST_CASE("one value is copied by many threads, each of which destroys its copies") {
  const Value value = Value::list({text, "short", Value::list({text})});
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < 2000; ++k) {
          Value copy = value;
          const Value second = copy;
          if (std::move(copy[0]).as_string() != text || second != value) ++wrong;
        }
      });
  }
  CHECK(wrong == 0);
  CHECK(value[2][0] == text);
}

TEST_CASE("one value that is not const is read by many threads, by all that could change it") {
  const auto part = [](int number) { return Value::custom("a.B", Value::tuple({number, text})); };
  Value dict = Value::dict({{part(0), 0}});
  // Digests are left in what was a key: to be read, and to be removed by who may change it.
  const Value key = dict.entries()[0].key;
  Value value = Value::dict({{"list", Value::list({key, key})}, {"custom", key}, {key, 5}});
  std::atomic<int> wrong = 0;
  const auto read = [&] {
    const auto check = [&](bool is_right) {
      if (!is_right) ++wrong;
    };
    check(*value.find("custom") == key);
    check(*value.find_key(key) == 5);
    check(dict.find_key(value["custom"]) != nullptr);
    check(value["list"][1].payload()[0] == 0);
    check(value["list"].items()[0].payload().items()[1] == text);
    check(value.at("/custom/1") == text);
    check(value.entry_value(1) == key);
    check(dict.find_key(value["custom"].payload()) == nullptr);
    const Value copy = value;
    check(copy == value);
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < 500; ++k) read();
      });
  }
  CHECK(wrong == 0);
}
