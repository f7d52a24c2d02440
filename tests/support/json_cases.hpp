/// \file
/// Helpers that tests of JSON share: malformed texts with their errors, and round trips.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/precision.hpp>
#include <safestructures/formats/options.hpp>
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

/// Returns the text of a tensor `a/0` with those members.
inline std::string json_tensor(const std::string& members, const std::string& dtype = "U8") {
  return R"({"a": [{"$tensor": ")" + dtype + "\"" + members + "}]}";
}

inline const JsonOptions compact{JsonTensors::lists, 0};
inline const JsonOptions compact_base64{JsonTensors::base64, 0};

inline std::string saved(const Value& value, SaveOptions options = {}) {
  return save_json(value, compact, std::move(options));
}

/// Saves a value and returns what is loaded from that; it must be equal and be saved as the same
/// text.
inline Value again(const Value& value) {
  const SaveOptions options{.precision = Precision::preserve};
  Value loaded;
  for (const JsonOptions& form :
       {JsonOptions{}, compact, compact_base64, JsonOptions{JsonTensors::base64, 3}}) {
    const std::string text = save_json(value, form, options);
    CAPTURE(text);
    loaded = load_json(text);
    CHECK(loaded == value);
    CHECK(save_json(loaded, form, options) == text);
  }
  return loaded;
}

}  // namespace safestructures::test
