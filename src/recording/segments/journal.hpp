/// \file
/// The journal of a segment as a whole: its bytes, and the frames in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <safestructures/data/limits.hpp>
#include "recording/segments/frame.hpp"

namespace safestructures::inline v0::recording {

/// The bytes of a journal that are there now. \throws Error `limit_exceeded` where they are more
/// than any journal has; `cannot_open`, `cannot_read`
[[nodiscard]] std::vector<std::byte> read_journal(const std::filesystem::path& path,
                                                  std::uint64_t from, const Limits& limits);

/// The frames of a journal that are whole.
struct Journal {
  JournalHead head;
  std::vector<Frame> frames;
  std::vector<bool> are_behind_damage;  // Of each frame, whether what is in front of it is none.
  std::uint64_t damaged_bytes = 0;      // Between frames, or behind them where no writer left them.
  bool is_cut = false;                  // The last frame was not finished.
};

/// Reads all frames, also behind damage. Their names stay in the bytes.
/// \throws Error as `read_head`, and `limit_exceeded` where a frame passes a limit
[[nodiscard]] Journal read_frames(std::span<const std::byte> bytes, const Limits& limits);

}  // namespace safestructures::inline v0::recording
