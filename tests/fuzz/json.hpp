/// \file
/// JSON: text to Value and back, by the default format too.
#pragma once

#include <safestructures/formats/json.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/round_trip.hpp"

namespace fuzz {

inline void json(Bytes bytes) {
  ss::Content content;
  bool is_read = false;
  expect_errors([&] {
    content = json_format(ss::JsonTensors::lists)
                  ->read(ss::Source::of(bytes, nullptr), {.limits = {.depth = 100}});
    is_read = true;
  });
  if (!is_read) return;
  // First the other format: it drops marks as plain where they mean nothing, and halves of
  // surrogate pairs in the names of tensors (docs/format.md).
  const std::optional<Saved> stored = saved(content, ss::formats::safestructures());
  if (stored)
    check_round_trips(stored->content, json_format(ss::JsonTensors::lists),
                      ss::formats::safestructures());
  const auto base64 = saved(content, json_format(ss::JsonTensors::base64));
  if (base64)
    require(save_content(base64->content, json_format(ss::JsonTensors::lists)) ==
                save_content(content, json_format(ss::JsonTensors::lists)),
            "base64 on the way has changed the text");
}

}  // namespace fuzz
