/// \file
/// Making whole what a recorder left behind that did not end by itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>

namespace safestructures::inline v0 {

/// What `recover_recording` found and did.
struct RecoveryReport {
  std::uint64_t sealed = 0;     ///< Segments that were in order.
  std::uint64_t repaired = 0;   ///< Segments that were sealed now.
  std::uint64_t recovered = 0;  ///< Records in these.
  /// Records that the recorder had written and that are damaged or missing.
  std::uint64_t lost = 0;
  /// Bytes behind the last whole record: of records that were not finished.
  std::uint64_t cut_bytes = 0;
  std::vector<std::string> notes;   ///< What was done, a line each.
  std::vector<std::string> losses;  ///< What was lost, a line each.

  /// Nothing had to be done.
  [[nodiscard]] bool is_clean() const noexcept { return notes.empty() && losses.empty(); }
  /// Something that was written is not there.
  [[nodiscard]] bool is_lossy() const noexcept { return !losses.empty(); }
};

/// How recordings are recovered.
struct RecoverOptions {
  /// Called now and then with the bytes of records that were checked since the last call, and those
  /// of all that are to be.
  std::function<void(std::uint64_t more, std::uint64_t all)> progress = nullptr;
  Limits limits = {};  ///< Bounds on what the journals and segments may hold.
};

/// Seals the segments of a recording whose recorder died: every record whose journal frame and data
/// are whole is in them, its checksums compared where it has some. What is whole is not moved:
/// the header is read and found valid, and written into its room, what is behind the last record is
/// cut off, and the file gets its name. Bytes of records that are damaged stay, as tensors that no
/// record has. A segment that passes a limit stays as it is, and is told of among the losses: with
/// a higher one it is recovered.
///
/// Interrupted or repeated, it does no harm. Of segments that were sealed what they say of their
/// records is read, and told of where they do not follow each other; their bytes are not compared
/// (`verify_file` does that).
/// \throws Error `cannot_write` while a recorder writes to the folder; `cannot_open`, `cannot_read`
SAFESTRUCTURES_API RecoveryReport recover_recording(const std::filesystem::path& folder,
                                                    const RecoverOptions& options = {});

}  // namespace safestructures::inline v0
