/// \file
/// Malformed JSON and its errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/limits.hpp>
#include "support/errors.hpp"
#include "support/json_values.hpp"

namespace safestructures::test {

struct JsonCase {
  std::string text;
  std::string error;
};

inline std::string read_error(std::string_view text, const Limits& limits = {}) {
  return error_of([&] { return load_json(text, {.limits = limits}); });
}

inline void check(const std::vector<JsonCase>& cases) {
  for (const JsonCase& test : cases) {
    CAPTURE(test.text);
    CHECK(read_error(test.text) == test.error);
  }
}

/// A tensor `a/0` with those members.
inline std::string json_tensor(const std::string& members, const std::string& dtype = "U8") {
  return R"({"a": [{"$tensor": ")" + dtype + "\"" + members + "}]}";
}

}  // namespace safestructures::test
