/// \file
/// Verifying everything in the folder of a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>

namespace safestructures::inline v0 {

/// The result of `verify_recording`.
struct VerifyRecordingReport {
  /// The number of records, including those of a segment that is not sealed; 0 if a segment is
  /// damaged.
  std::size_t records = 0;
  std::size_t sealed = 0;    ///< The number of sealed segments.
  std::size_t unsealed = 0;  ///< The number of segments that are not sealed.
  std::uint64_t bytes = 0;   ///< The stored bytes of all tensors of the undamaged sealed segments.
  bool has_checksums = false;  ///< Whether every sealed segment has checksums, which matched.
  bool is_closed = false;      ///< Whether the recorder was closed; false if a segment is damaged.
  /// What is wrong, one line each, which begins with the file or the folder.
  std::vector<std::string> problems;

  /// Returns whether nothing is wrong. A recording that was not closed may be fine.
  [[nodiscard]] bool is_fine() const noexcept { return problems.empty(); }
};

/// Options for verifying recordings.
struct VerifyRecordingOptions {
  /// Called from time to time with a sealed segment, the bytes of its tensors read since the last
  /// call, and the total of the segment.
  std::function<void(const std::filesystem::path& file, std::uint64_t more, std::uint64_t all)>
      progress = nullptr;
  Limits limits = {};  ///< Bounds on what the journals and segments may hold.
};

/// Verifies every sealed segment as `verify_file` does, then, if none is damaged, that they are
/// those that the recorder left: none is missing, stands in for another or follows the one that
/// closed the recording, and they hold what the recorder says it kept. Of a segment that is not
/// sealed, it reports what `Recording::problems` does. Takes no lock and never changes the folder.
/// \throws Error `cannot_open` if `folder` is not the folder of a recording, `cannot_read` if it
/// cannot be listed. What is wrong with a segment is not thrown but in the report.
[[nodiscard]] SAFESTRUCTURES_API VerifyRecordingReport
verify_recording(const std::filesystem::path& folder, const VerifyRecordingOptions& options = {});

}  // namespace safestructures::inline v0
