/// \file
/// What sealed segments say of themselves and their neighbours: that none stands for another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace safestructures::inline v0::recording {

/// What the text of `metadata_key` says. What it does not say, as that of other writers, is not
/// there.
struct SegmentAbout {
  std::optional<std::uint64_t> segment;  ///< Its number.
  std::string_view run;                  ///< Tells recordings apart. In the text.
  std::optional<std::uint64_t> kept;     ///< Records that the recorder had kept by then.
  bool closed = false;
};

[[nodiscard]] SegmentAbout read_about(std::string_view about);

/// Compares segments, one after the other in the order of their numbers, with those before.
class SegmentOrder {
 public:
  /// \param number the file's \param sequence of its records, ascending
  /// \returns a sentence for each fault
  [[nodiscard]] std::vector<std::string> add(std::uint64_t number,
                                             const std::filesystem::path& file,
                                             const SegmentAbout& about,
                                             std::span<const std::uint64_t> sequence);

  /// Whether the last one is the end of these: it closed its recording, and that is this one.
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }

 private:
  std::string run_;       // Of the first that says it,
  std::string run_file_;  // whose file this is.
  std::uint64_t next_sequence_ = 0;
  bool is_closed_ = false;
};

/// A sentence on a segment behind the one that closed the recording.
[[nodiscard]] std::string behind_text(const std::filesystem::path& file, std::uint64_t closing);

/// A sentence on a file that says to be another segment.
[[nodiscard]] std::string other_number_text(const std::filesystem::path& file, std::uint64_t said);

}  // namespace safestructures::inline v0::recording
