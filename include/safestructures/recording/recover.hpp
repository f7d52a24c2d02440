/// \file
/// Recovering a recording whose recorder did not end normally.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>

namespace safestructures::inline v0 {

/// The result of `recover_recording`.
struct RecoveryReport {
  std::uint64_t sealed = 0;     ///< Segments that were already sealed and in order.
  std::uint64_t repaired = 0;   ///< Segments sealed by this call.
  std::uint64_t recovered = 0;  ///< Records in the repaired segments.
  /// Records that the recorder had written but that are damaged or missing.
  std::uint64_t lost = 0;
  /// Bytes after the last complete record, which belong to unfinished ones.
  std::uint64_t cut_bytes = 0;
  std::vector<std::string> notes;   ///< What was done, one line each.
  std::vector<std::string> losses;  ///< What was lost, one line each.

  /// Returns whether nothing had to be done.
  [[nodiscard]] bool is_clean() const noexcept { return notes.empty() && losses.empty(); }
  /// Returns whether something that was written is missing.
  [[nodiscard]] bool is_lossy() const noexcept { return !losses.empty(); }
};

/// Options for recovering recordings.
struct RecoverOptions {
  /// Called from time to time with the bytes of records checked since the last call, and the total.
  std::function<void(std::uint64_t more, std::uint64_t all)> progress = nullptr;
  Limits limits = {};  ///< Bounds on what the journals and segments may hold.
};

/// Seals the segments of a recording whose recorder died. They then hold every record whose journal
/// frame and data are complete, and whose checksums, if any, match. Complete records are not moved:
/// the header is read, validated and written into its reserved space, everything after the last
/// record is cut off, and the file gets its final name. The bytes of damaged records stay, as
/// tensors that belong to no record. A segment that exceeds a limit stays as it is and is listed
/// under the losses; with a higher limit it is recovered.
///
/// It is safe to interrupt or repeat. For segments that are already sealed, only their description
/// of the records is read; those that cannot be read, are missing or contradict others are listed
/// under the losses. Their bytes are not checked (`verify_recording` does that).
/// \throws Error `cannot_write` while a recorder writes to the folder; `cannot_open`, `cannot_read`
SAFESTRUCTURES_API RecoveryReport recover_recording(const std::filesystem::path& folder,
                                                    const RecoverOptions& options = {});

}  // namespace safestructures::inline v0
