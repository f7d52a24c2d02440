/// \file
/// The journal of a recording: as it is, and as the content of a frame whose checksum is right,
/// which no fuzzer would find.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <safestructures/data/source.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include <safestructures/tools/document.hpp>

#include "fuzz/fuzz.hpp"
#include "recording/segments/frame.hpp"
#include "recording/segments/segment_columns.hpp"
#include "recording/segments/unsealed.hpp"

namespace fuzz {

/// Reads every frame as who recovers does.
inline void journal_frames(Bytes bytes) {
  using namespace ss::recording;
  for (std::size_t at = 0; at < bytes.size();) {
    const FoundFrame found = read_frame(bytes.subspan(at), {});
    if (found.state == FrameState::whole) {
      require(found.size >= frame_head_size && found.size <= bytes.size() - at,
              "a frame is larger than the journal");
      std::vector<std::byte> again;
      append_frame(again, found.frame);
      require(std::ranges::equal(again, bytes.subspan(at, found.size)),
              "a frame does not round trip");
      at += found.size;
      continue;
    }
    const std::optional<std::size_t> next = find_frame(bytes, at + 1);
    if (!next) return;
    require(*next > at, "a frame was looked for behind its place");
    at = *next;
  }
}

/// Opens the record of a frame as who reads what is not sealed does.
inline void record_of_frame(Bytes framed) {
  using namespace ss::recording;
  const FoundFrame found = read_frame(framed, {});
  constexpr std::size_t most = std::size_t{1} << 16U;
  if (found.state != FrameState::whole || found.frame.end > most) return;
  static const std::vector<std::byte> zeros(most);
  std::vector<Frame> frames = {found.frame};
  const auto file = as_file(ss::Source::of(zeros, nullptr), 0, frames);
  const auto document = ss::Document::open(file, {.format = ss::formats::safestructures()});
  ss::platform::SharedBlocks blocks;
  const SegmentParts parts = read_parts(document.root(), {}, blocks);
  require(std::ranges::equal(parts.columns.sequence, std::vector{found.frame.head.sequence}),
          "a frame does not come back as a record");
}

inline void journal(Bytes bytes) {
  using namespace ss::recording;
  expect_errors([&] { static_cast<void>(read_head(bytes)); });
  std::vector<std::byte> framed;
  const std::size_t begin = begin_frame(framed);
  framed.insert(framed.end(), bytes.begin(), bytes.end());
  end_frame(framed, begin);
  // What is whole may pass a limit.
  expect_errors([&] { journal_frames(bytes); });
  expect_errors([&] { journal_frames(framed); });
  expect_errors([&] { record_of_frame(framed); });
}

}  // namespace fuzz
