/// \file
/// Writes one file of a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <safestructures/recording/options.hpp>
#include "platform/os.hpp"
#include "recording/segments/segment_batch.hpp"
#include "recording/segments/segment_header.hpp"

namespace safestructures::inline v0::recording {

/// Where and how segments are written.
struct SegmentOptions {
  Durability durability = Durability::none;
  bool checksums = true;
  std::uint64_t largest_journal = 0;  ///< Except for a single record.
};

/// Memory that the segments of a recording reuse: the first touch of it took a quarter of the time
/// of writing 10,000 records of 256 B.
struct SegmentBuffers {
  SegmentBatch batch;
  std::vector<platform::os::Bytes> queue;
  std::vector<std::byte> staged;  ///< Copies of small pieces, which the queue refers to.
  std::vector<std::byte> frames;  ///< Journal frames, if made while data are written.
};

/// A segment that is being written: its data and its journal.
///
/// Data are written before the frames that describe them, both at the end of their file. A segment
/// that is sealed with its first batch, if that is small, needs neither a journal nor a `part`
/// file: it is written at once, under a temporary name until it is complete. A journal took a
/// quarter of the time of recording 1,000 records of 256 B. After an exception, only `drop_batch`
/// and then `seal` may be called, and no other segment may use the buffers.
class SegmentWriter {
 public:
  /// Creates no file yet. \param room bytes before the data, a multiple of 8 \param buffers must
  /// outlive it; no other segment may use them meanwhile
  SegmentWriter(const std::filesystem::path& folder, std::uint64_t number, std::uint64_t room,
                const SegmentOptions& options, SegmentBuffers& buffers);

  /// Returns the bytes of data, including the batch.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return header_.end() + buffers_.batch.bytes();
  }
  /// Returns an upper bound on the header's size, including the batch, and its room.
  [[nodiscard]] std::uint64_t header_bound() const noexcept {
    return header_.bound() + batch_cost_;
  }
  [[nodiscard]] std::uint64_t room() const noexcept { return room_; }

  /// Takes a record, written with the batch. Its tensors must not change until then.
  /// \returns false, leaving the record, if the header or the journal has no room for it; the first
  /// record is always taken
  [[nodiscard]] bool add(PreparedRecord& record);
  [[nodiscard]] bool add(const PreparedRow& row);
  [[nodiscard]] std::uint64_t batch_bytes() const noexcept { return buffers_.batch.bytes(); }
  /// Writes the added records. \throws Error `cannot_write`, also if the disk has no space for the
  /// room
  void write_batch();
  /// Discards the records that were added but not written.
  void drop_batch() noexcept;

  /// What to do with a segment without records.
  enum class Empty : std::uint8_t { removed, kept };

  /// Whether `seal` also writes the batch, so that no journal is needed.
  [[nodiscard]] bool is_sealed_at_once() const noexcept;
  /// Writes the header with all written records, or the whole file at once; then renames the file
  /// to its final name. Call once, last. \param about the text of `metadata_key` \param named
  /// called once the file has its name
  /// \throws Error `cannot_write`
  void seal(const std::string& about, Empty empty, const std::function<void()>& named);

 private:
  /// Counts a record. \param cost in the header, including its name's \param in_journal without its
  /// name \returns the index of its name; null if there is no room
  [[nodiscard]] std::optional<std::uint32_t> admit(std::string_view name, std::uint64_t cost,
                                                   std::uint64_t cost_of_name,
                                                   std::uint64_t in_journal);
  /// Creates the files.
  void begin();
  void write_data();
  /// Writes a segment that is sealed at once.
  void write_whole(const std::string& about, const std::function<void()>& named);
  void write_front(const SegmentFront& front);
  /// Sets the file's size to the end of the last whole record.
  void cut();
  /// Gives the file its final name.
  void finish(const std::function<void()>& named);
  /// Makes the journal frames of the batch. \param write whether to write them, in pieces, except
  /// for the last piece
  void make_frames(std::vector<std::byte>& frames, bool write);
  /// Writes frames and clears them.
  void write_frames(std::vector<std::byte>& frames);
  /// Removes from the journal the frames of a batch that failed, if any.
  [[nodiscard]] std::error_code cut_journal() noexcept;
  /// Queues bytes to be written after those before; they must not change until then.
  void queue(std::span<const std::byte> bytes);
  void write_queue();

  std::filesystem::path folder_;
  std::uint64_t number_;
  std::uint64_t room_;
  SegmentOptions options_;
  SegmentBuffers& buffers_;
  std::filesystem::path part_path_;
  std::filesystem::path journal_path_;
  platform::os::File part_;
  platform::os::File journal_;
  bool has_begun_ = false;
  SegmentHeader header_;
  std::uint64_t batch_cost_ = 0;
  std::uint64_t journal_cost_ = 0;  // An upper bound, including the batch.
  std::uint64_t journal_end_ = 0;
  std::uint64_t told_end_ = 0;  // The end of the journal's frames for records that the header has.
  bool is_journal_ahead_ = false;  // It may contain more.
  std::uint64_t data_end_ = 0;     // The end of what is written.
  std::uint64_t queued_ = 0;       // The bytes in the queue.
};

}  // namespace safestructures::inline v0::recording
