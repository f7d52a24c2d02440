/// \file
/// Names of members that come again are shared in memory, which shows nowhere: not when there are
/// many, nor when what has them changes or outlives the rest.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/json_cases.hpp"

namespace ss = safestructures;
using ss::Value;

namespace {

const std::vector<std::shared_ptr<const ss::Format>>& formats() {
  static const std::vector<std::shared_ptr<const ss::Format>> all = {
      ss::formats::json(), ss::formats::messagepack(), ss::formats::cbor()};
  return all;
}

Value again(const Value& value, const std::shared_ptr<const ss::Format>& format) {
  ss::SaveOptions options;
  options.format = format;
  ss::ReadOptions read;
  read.format = format;
  return ss::load(ss::save(value, options), read);
}

}  // namespace

TEST_CASE("objects with few or thousands of different names are read as they were") {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&](std::size_t most) { return random() % most; };
    for (const std::size_t letters : {1U, 3U, 20U}) {
      CAPTURE(letters);
      Value list = Value::list();
      for (std::size_t i = 0; i < 2000; ++i) {
        Value dict = below(2) == 0 ? Value::dict() : Value::structure("Row");
        for (std::size_t k = below(12); k > 0; --k) {
          std::string name;
          for (std::size_t n = below(12); n > 0; --n)
            name += static_cast<char>('a' + below(letters));
          if (below(50) == 0) name += "\u00e9\u20ac";
          dict.insert_or_assign(Value(name), Value(static_cast<std::int64_t>(k)));
        }
        list.push_back(std::move(dict));
      }
      for (const auto& format : formats()) {
        CAPTURE(format->name());
        CHECK(again(list, format) == list);
      }
    }
  }
}

TEST_CASE("a part keeps its names when the rest is gone, and on other threads") {
  Value list = Value::list();
  for (std::int64_t i = 0; i < 100; ++i)
    list.push_back(
        Value::dict({{Value("a name of some length"), Value(i)}, {Value("b"), Value(i)}}));
  for (const auto& format : formats()) {
    CAPTURE(format->name());
    std::vector<Value> parts;
    {
      Value loaded = again(list, format);
      for (const std::size_t at : {3U, 7U, 11U}) parts.push_back(loaded[at]);
      loaded[3].insert_or_assign(Value("b"), Value("changed"));
    }
    std::vector<std::thread> threads;
    for (const Value& part : parts)
      threads.emplace_back([part = part] {
        for (int i = 0; i < 1000; ++i) const Value copy = part;
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(parts[0] == list[3]);
    CHECK(parts[1] == list[7]);
    CHECK(parts[2] == list[11]);
  }
}

TEST_CASE("a key that comes twice is named in full, however many names were read before it") {
  const std::string key = "a key too long to be part of a value: " + std::string(60, 'k');
  const std::string expected =
      "duplicate_name: at /2/" + key + ": a dict contains a key twice: found " + key + " (byte ";
  for (const int names : {0, 15, 16, 5000}) {
    CAPTURE(names);
    // Those within the second value take the place of the key among the names that are known.
    std::string others;
    for (int i = 0; i < names; ++i) others += ",\"" + std::to_string(i) + "\":1";
    const std::string before = R"({"":1)" + others + R"(,")" + key + R"(":1},)";
    const std::string last = R"({"":1)" + others + "}";
    for (const std::string& text :
         {R"({")" + key + R"(":1,")" + key + R"(":)" + last + "}]",
          R"({"":1)" + others + R"(,")" + key + R"(":1,")" + key + R"(":2}])"})
      CHECK(ss::test::read_error("[" + before + before + text).substr(0, expected.size()) ==
            expected);
  }
}
