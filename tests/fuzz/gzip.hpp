/// \file
/// gzip: what unpacks packs and unpacks again as the same, and so do the bytes themselves.
#pragma once

#include <memory>
#include <vector>

#include <safestructures/formats/gzip.hpp>

#include "fuzz/fuzz.hpp"
#include "platform/sink.hpp"

namespace fuzz {

inline std::vector<std::byte> gzip_packed(Bytes bytes) {
  std::vector<std::byte> packed;
  ss::platform::VectorSink sink(packed);
  // Packing refuses what would be too large unpacked, and so would the oracle's loading.
  ss::gzip::Packer packer(sink, {.expansion = 2000});
  packer.write(bytes);
  packer.finish();
  return packed;
}

inline void check_packs(Bytes bytes) {
  const std::vector<std::byte> packed = gzip_packed(bytes);
  const auto source = ss::Source::of(packed, nullptr);
  const auto inner = ss::gzip::unpacked(source, {.limits = {.expansion = 2000}});
  require(inner != source, "what was packed is not known as packed");
  const ss::SharedBytes again = inner->view(0, static_cast<std::size_t>(inner->size()));
  require(text_of(again.bytes) == text_of(bytes), "what was packed unpacks as something else");
}

inline void gzip(Bytes bytes) {
  const auto source = ss::Source::of(bytes, nullptr);
  bool is_packed = bytes.size() > 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
  expect_errors([&] {
    const auto inner = ss::gzip::unpacked(source);
    if (inner == source) {
      is_packed = false;
      return;
    }
    check_packs(inner->view(0, static_cast<std::size_t>(inner->size())).bytes);
  });
  // gzip in gzip is refused.
  if (!is_packed) check_packs(bytes);
}

}  // namespace fuzz
