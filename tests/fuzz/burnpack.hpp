/// \file
/// burnpack: what loads is saved, loads as the same, is saved as the same bytes, and comes back by
/// the other formats.
#pragma once

#include <memory>
#include <vector>

#include <safestructures/data/walk.hpp>
#include <safestructures/formats/burnpack.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/round_trip.hpp"

namespace fuzz {

inline std::vector<std::byte> save_burnpack(const ss::Content& content) {
  return ss::save(content.root, {.format = ss::formats::burnpack(),
                                 .metadata = content.metadata,
                                 .precision = ss::Precision::preserve,
                                 .limits = deep});
}

inline void burnpack(Bytes bytes) {
  const auto format = ss::formats::burnpack();
  ss::Content content;
  bool is_read = false;
  expect_errors([&] {
    content = format->read(ss::Source::of(bytes, nullptr), {.limits = {.depth = 100}});
    // Bools of four bytes are looked at when they are used.
    ss::walk(content.root, [&](const ss::Place& place) {
      const ss::Value& value = place.value();
      if (value.kind() == ss::Kind::tensor || value.kind() == ss::Kind::bytes)
        require(value.tensor().bytes().size() == value.tensor().byte_size(), "a tensor is cut");
      return ss::Next::into;
    });
    is_read = true;
  });
  if (!is_read) return;
  const std::vector<std::byte> saved = save_burnpack(content);
  const ss::Content again = format->read(ss::Source::of(saved, nullptr), {.limits = deep});
  // Scalars are in the order of their names, and the entries of dicts may so change places.
  ss::walk(content.root, [&](const ss::Place& place) {
    const ss::Value& value = place.value();
    if (value.is_sequence() || value.is_mapping()) return ss::Next::into;
    require(again.root.at(place.path()) == value, "what was saved loads as something else");
    return ss::Next::over;
  });
  require(save_burnpack(again) == saved, "saved differently again");
  check_round_trips(content, ss::formats::safestructures(), json_format(ss::JsonTensors::base64));
}

}  // namespace fuzz
