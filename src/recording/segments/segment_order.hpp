/// \file
/// Checks what sealed segments state about themselves and their neighbours: that none replaces
/// another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace safestructures::inline v0::recording {

/// The content of the text of `metadata_key`. Fields are unset if the text lacks them, such as that
/// of other writers.
struct SegmentAbout {
  std::optional<std::uint64_t> version;  ///< The version of the layout.
  std::optional<std::uint64_t> segment;  ///< The segment's number.
  std::string_view run;                  ///< Identifies the recording. Points into the text.
  std::optional<std::uint64_t> kept;     ///< Records that the recorder had kept by then.
  bool closed = false;
};

[[nodiscard]] SegmentAbout read_about(std::string_view about);

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
