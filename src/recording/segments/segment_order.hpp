/// \file
/// Checks what sealed segments state about themselves and their neighbours: that none replaces
/// another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "recording/segments/segment_about.hpp"

namespace safestructures::inline v0::recording {

/// Compares each segment, in the order of their numbers, with those before it.
class SegmentOrder {
 public:
  /// \param number from the file's name \param sequence of its records, ascending
  /// \returns a sentence for each fault
  [[nodiscard]] std::vector<std::string> add(std::uint64_t number,
                                             const std::filesystem::path& file,
                                             const SegmentAbout& about,
                                             std::span<const std::uint64_t> sequence);

  /// Whether the last segment closed its recording, and is part of this one.
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }

 private:
  std::string run_;       // Of the first segment that states it,
  std::string run_file_;  // and the name of its file.
  std::uint64_t next_sequence_ = 0;
  bool is_closed_ = false;
};

/// Returns a sentence on a segment that comes after the one that closed the recording.
[[nodiscard]] std::string behind_text(const std::filesystem::path& file, std::uint64_t closing);

/// Returns a sentence on a file that claims to be another segment.
[[nodiscard]] std::string other_number_text(const std::filesystem::path& file, std::uint64_t said);

}  // namespace safestructures::inline v0::recording
