/// \file
/// Reads the journal of a segment and its frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <safestructures/data/limits.hpp>
#include "recording/segments/frame.hpp"

namespace safestructures::inline v0::recording {

/// Returns the current bytes of a journal from `from` on. \throws Error `limit_exceeded` if they
/// are more than any journal has; `cannot_open`, `cannot_read`
[[nodiscard]] std::vector<std::byte> read_journal(const std::filesystem::path& path,
                                                  std::uint64_t from, const Limits& limits);

/// The whole frames of a journal.
struct Journal {
  JournalHead head;
  std::vector<Frame> frames;
  std::vector<bool> are_behind_damage;  // Per frame, whether damage precedes it.
  std::uint64_t damaged_bytes = 0;      // Between frames, or after them if not left by a writer.
  bool is_cut = false;                  // The last frame is incomplete.
};

/// Reads all frames, including those after damage. Their names point into `bytes`.
/// \throws Error as `read_head`, and `limit_exceeded` if a frame exceeds a limit
[[nodiscard]] Journal read_frames(std::span<const std::byte> bytes, const Limits& limits);

}  // namespace safestructures::inline v0::recording
