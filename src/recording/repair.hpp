/// \file
/// Seals the segments that a recorder left when it died.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/data/source.hpp>
#include <safestructures/recording/recover.hpp>
#include "platform/file.hpp"
#include "recording/segments/files.hpp"
#include "recording/segments/frame.hpp"
#include "recording/segments/journal.hpp"
#include "recording/segments/segment_header.hpp"

namespace safestructures::inline v0::recording {

/// Whether a segment has a journal and is not sealed.
[[nodiscard]] inline bool is_to_repair(const SegmentFiles& files) noexcept {
  return !files.sealed && files.journal;
}

/// Reports progress, which for each segment adds up to the size of its file.
class RepairProgress {
 public:
  RepairProgress(const RecoverOptions& options, const std::filesystem::path& folder);

  /// \param bytes of the segment; the total is capped at what `begin` was given
  void add(std::uint64_t bytes);
  void begin(std::uint64_t size) { left_ = size; }
  /// Adds what needed no check: the room for the header, and what is cut off.
  void end() { add(left_); }

 private:
  const RecoverOptions& options_;
  std::uint64_t all_ = 0;
  std::uint64_t left_ = 0;
};

/// Repairs one unsealed segment.
class Repair {
 public:
  Repair(const std::filesystem::path& folder, std::uint64_t segment, const RecoverOptions& options,
         RepairProgress& progress, RecoveryReport& report);

  /// Seals the segment with its sound records, or reports why that cannot be done. Call once.
  /// \throws Error if the system fails
  void run();

 private:
  /// What there is of the records in the journal.
  struct Found {
    std::vector<Frame> sound;
    std::uint64_t damaged = 0;  // Records whose data are damaged or missing.
    std::uint64_t lost = 0;     // Records whose frames are missing where the journal is damaged.
    std::uint64_t refused = 0;  // Records that were never written.
  };

  void repair();
  void lose(std::uint64_t records, const std::string& what);
  void remove(const std::string& why);
  void seal(Journal journal);
  /// \returns false, having reported it, if the file is not one that can be read
  [[nodiscard]] bool open_data(std::uint64_t records);
  /// Checks all frames, and consumes the sound ones.
  [[nodiscard]] Found check(Journal& journal);
  /// Whether a frame's data exist and are what was written.
  /// \throws Error `limit_exceeded` if they are, but exceed a limit
  [[nodiscard]] bool check(const Frame& frame);
  [[nodiscard]] bool has_hashes(const Frame& frame);
  /// Whether a structure's schema is valid on its own: its text must not spoil those of others.
  [[nodiscard]] bool has_valid_schema(const Frame& frame) const;
  void add_to_header(std::vector<Frame>& sound);
  void report_lost(const Found& found, std::uint64_t damaged_bytes);
  [[nodiscard]] std::uint64_t hash_of(std::uint64_t begin, std::uint64_t end);
  /// Writes the header, cuts the file after the last record, and gives it its name.
  void write();
  void report_sealed(std::uint64_t refused, std::uint64_t cut);

  const std::filesystem::path& folder_;
  std::uint64_t segment_;
  const RecoverOptions& options_;
  RepairProgress& progress_;
  RecoveryReport& report_;
  std::filesystem::path part_path_;
  std::filesystem::path journal_path_;
  JournalHead head_;
  std::optional<platform::InputFile> data_;
  std::shared_ptr<const Source> source_;  // The same file, for tensors that nobody reads.
  SegmentHeader header_;
};

}  // namespace safestructures::inline v0::recording
