/// \file
/// JSON: text to Value and back.
#pragma once

#include <safestructures/codecs/values.hpp>
#include <safestructures/formats/json.hpp>
#include <safestructures/tools/save.hpp>

#include "fuzz/fuzz.hpp"

namespace fuzz {

inline std::vector<std::byte> save_json(const ss::Value& value, ss::JsonTensors tensors) {
  return ss::save(value, {.format = ss::formats::json({tensors, 0}),
                          .precision = ss::Precision::preserve,
                          .limits = {.depth = 1000}});
}

inline ss::Value load_json(Bytes bytes, std::uint32_t depth) {
  return ss::formats::json()
      ->read(ss::Source::of(bytes, nullptr), {.limits = {.depth = depth}})
      .root;
}

inline void json(Bytes bytes) {
  ss::Value value;
  bool is_read = false;
  expect_errors([&] {
    value = load_json(bytes, 100);
    is_read = true;
  });
  if (!is_read) return;
  try {
    for (const ss::JsonTensors tensors : {ss::JsonTensors::lists, ss::JsonTensors::base64}) {
      const std::vector<std::byte> text = save_json(value, tensors);
      const ss::Value again = load_json(text, 1000);
      require(again == value, "what was written reads as something else");
      require(save_json(again, tensors) == text, "written differently again");
    }
  } catch (const ss::Error& error) {
    throw std::logic_error(std::string("what was read is refused: ") + error.what());
  }
}

}  // namespace fuzz
