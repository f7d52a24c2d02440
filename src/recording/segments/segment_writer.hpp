/// \file
/// One file of a recording while it is written.
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
  std::uint64_t largest_journal = 0;  ///< But for a single record's.
};

/// Memory that the segments of a recording use one after the other: the first touch of it took a
/// quarter of the time of writing 10,000 records of 256 B.
struct SegmentBuffers {
  SegmentBatch batch;
  std::vector<platform::os::Bytes> queue;
  std::vector<std::byte> staged;  ///< Copies of small pieces, which the queue names.
  std::vector<std::byte> frames;  ///< Of the journal, where they are made while data are written.
};

/// A segment that is being written: its data and the journal beside it.
///
/// Data are written before the frames that say they are there, both at the end of their file. What
/// is sealed with the first batch, a small one, needs neither: it is written at once, under another
/// name until it is whole. A journal took a quarter of the time of recording 1,000 records of 256
/// B. When anything has thrown, only `drop_batch` and then `seal` may be called, and the buffers
/// are no other segment's.
class SegmentWriter {
 public:
  /// Makes no file yet. \param room bytes in front of the data, a multiple of 8 \param buffers must
  /// outlive it, and be no other segment's meanwhile
  SegmentWriter(const std::filesystem::path& folder, std::uint64_t number, std::uint64_t room,
                const SegmentOptions& options, SegmentBuffers& buffers);

  /// Bytes of data, those of the batch among them.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return header_.end() + buffers_.batch.bytes();
  }
  /// What the header takes at most, the batch included, and its room.
  [[nodiscard]] std::uint64_t header_bound() const noexcept {
    return header_.bound() + batch_cost_;
  }
  [[nodiscard]] std::uint64_t room() const noexcept { return room_; }

  /// Takes a record, to be written with the batch. Its tensors must stay as they are until then.
  /// \returns false, and leaves it, where the header or the journal has no room for it; the first
  /// record is always taken
  [[nodiscard]] bool add(PreparedRecord& record);
  [[nodiscard]] bool add(const PreparedRow& row);
  [[nodiscard]] std::uint64_t batch_bytes() const noexcept { return buffers_.batch.bytes(); }
  /// Writes the records that were added. \throws Error `cannot_write`, the disk being too full for
  /// the room among the reasons
  void write_batch();
  /// Leaves out the records that were added and are not written.
  void drop_batch() noexcept;

  /// What is done with a segment that has no record.
  enum class Empty : std::uint8_t { removed, kept };

  /// Whether `seal` writes the batch as well, and so needs no journal.
  [[nodiscard]] bool is_sealed_at_once() const noexcept;
  /// Gives the file its header, with all records that were written, or writes all of it at once;
  /// then gives it its name. To be called once, as the last. \param about the text of
  /// `metadata_key` \param named called once there is a file of that name
  /// \throws Error `cannot_write`
  void seal(const std::string& about, Empty empty, const std::function<void()>& named);

 private:
  /// Counts a record in. \param cost in the header, its name's included \param in_journal without
  /// its name \returns the place of its name; nothing where there is no room
  [[nodiscard]] std::optional<std::uint32_t> admit(std::string_view name, std::uint64_t cost,
                                                   std::uint64_t cost_of_name,
                                                   std::uint64_t in_journal);
  /// Makes the files.
  void begin();
  void write_data();
  /// Writes what is sealed at once.
  void write_whole(const std::string& about, const std::function<void()>& named);
  void write_front(const SegmentFront& front);
  /// Gives the file its size: up to the last record that is whole.
  void cut();
  /// Gives it its name.
  void finish(const std::function<void()>& named);
  /// Makes what the journal says of the batch. \param write whether it is written, in pieces, but
  /// for the last
  void make_frames(std::vector<std::byte>& frames, bool write);
  /// Writes them, and leaves none.
  void write_frames(std::vector<std::byte>& frames);
  /// Cuts from the journal what it says of a batch that failed, if it does.
  [[nodiscard]] std::error_code cut_journal() noexcept;
  /// Has bytes written behind those before; they must stay as they are until then.
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
  std::uint64_t journal_cost_ = 0;  // What the journal takes at most, the batch included.
  std::uint64_t journal_end_ = 0;
  std::uint64_t told_end_ = 0;     // Of what the journal says of records that the header has.
  bool is_journal_ahead_ = false;  // It may say more.
  std::uint64_t data_end_ = 0;     // Of what is written.
  std::uint64_t queued_ = 0;       // Bytes of the queue.
};

}  // namespace safestructures::inline v0::recording
