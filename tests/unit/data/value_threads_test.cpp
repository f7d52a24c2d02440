// A value may be read by many threads at once, and a copy is a reading.
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
