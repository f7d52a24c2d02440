/// \file
/// MessagePack and CBOR: bytes to Value and back, by JSON too.
#pragma once

#include <safestructures/formats/cbor.hpp>
#include <safestructures/formats/messagepack.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/round_trip.hpp"

namespace fuzz {

/// The first bit says which format it is: a file of either is kept, and changed into the other's.
inline void binary_trees(Bytes bytes) {
  if (bytes.empty()) return;
  const FormatPointer& format = (std::to_integer<unsigned>(bytes[0]) & 1U) != 0
                                    ? ss::formats::cbor()
                                    : ss::formats::messagepack();
  const std::vector<std::byte> file(bytes.begin() + 1, bytes.end());
  ss::Content content;
  bool is_read = false;
  expect_errors([&] {
    content = format->read(ss::Source::of(file, nullptr), {.limits = {.depth = 100}});
    is_read = true;
  });
  if (!is_read) return;
  const std::optional<Saved> first = saved(content, format);
  if (!first) return;
  for (const FormatPointer& other :
       {json_format(ss::JsonTensors::base64),
        format == ss::formats::cbor() ? ss::formats::messagepack() : ss::formats::cbor()}) {
    const std::optional<Saved> second = saved(first->content, other);
    if (second)
      require(save_content(second->content, format) == first->bytes,
              "another format on the way has changed the file");
  }
}

}  // namespace fuzz
