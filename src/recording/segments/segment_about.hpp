/// \file
/// What a sealed segment states about itself and its recording, in its metadata.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace safestructures::inline v0::recording {

/// The content of the text under `metadata_key`. Fields are unset if the text lacks them, as that
/// of other writers may.
struct SegmentAbout {
  std::optional<std::uint64_t> version;  ///< The version of the layout.
  std::optional<std::uint64_t> segment;  ///< The segment's number.
  std::string run;                       ///< The digits that identify the recording.
  std::optional<std::uint64_t> kept;     ///< The number of records that were kept by then.
  bool closed = false;                   ///< Whether it closed the recording.
  /// What the recorder left out or thinned: the counts by name (of the first ten names), such as
  /// `a: 2 dropped of 5 calls; b: 1 failed of 1 call`, or their sums if the text has no names.
  /// Empty if it left out nothing.
  std::string left_out;
};

/// Reads the text. If it is not a JSON object, all fields are unset.
[[nodiscard]] SegmentAbout read_about(std::string_view text);

}  // namespace safestructures::inline v0::recording
