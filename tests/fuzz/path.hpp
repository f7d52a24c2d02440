/// \file
/// Paths, and looking up what they name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>

#include "fuzz/fuzz.hpp"

namespace fuzz {

inline const ss::Value& path_target() {
  static const ss::Value value = [] {
    ss::Value root = ss::Value::dict();
    root.insert("a", ss::Value::list({1, 2.5, "text"}));
    root.insert(1, ss::Value::tuple({true, nullptr}));
    root.insert("1", "the string key");
    root.insert("", "the empty key");
    root.insert("~/", ss::Value::structure("C", {{"field", 7}}));
    root.insert("c", ss::Value::custom("T", ss::Value::list({ss::Value::set({1, 2})})));
    return root;
  }();
  return value;
}

inline void path(Bytes bytes) {
  expect_errors([&] {
    const ss::Path path = ss::Path::parse(text_of(bytes));
    const ss::Path again = ss::Path::parse(path.to_string());
    // A path of one empty step reads as the root, since "/" does.
    require(again == path || path.steps() == std::vector<std::string>{""},
            "a path does not round trip");
    static_cast<void>(path_target().at(path));
  });
  expect_errors([&] { static_cast<void>(path_target().at(text_of(bytes))); });
}

}  // namespace fuzz
