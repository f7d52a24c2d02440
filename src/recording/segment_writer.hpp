/// \file
/// One file of a recording while it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <safestructures/data/tensor.hpp>
#include <safestructures/recording/options.hpp>
#include "platform/os.hpp"
#include "recording/frame.hpp"
#include "recording/segment_header.hpp"

namespace safestructures::inline v0::recording {

/// A record ready to be written. Offsets of its frame count from its own first byte until it has a
/// place in a segment.
struct PreparedRecord {
  Frame frame;
  std::vector<Tensor> tensors;  ///< Those of the frame, as they are stored.
  std::uint64_t cost = 0;       ///< `SegmentHeader::cost` of the frame.
};

/// Where and how segments are written.
struct SegmentOptions {
  Durability durability = Durability::none;
  bool checksums = true;
};

/// A segment that is being written: its data and the journal beside it.
///
/// Data are written before the frames that say they are there, both at the end of their file.
/// When anything has thrown, only `seal` may be called.
class SegmentWriter {
 public:
  /// Makes the files. \param room bytes in front of the data, a multiple of 8
  /// \throws Error `cannot_write`, the disk being too full for the room among the reasons
  SegmentWriter(const std::filesystem::path& folder, std::uint64_t number, std::uint64_t room,
                const SegmentOptions& options);

  /// Bytes of data, those of the batch among them.
  [[nodiscard]] std::uint64_t size() const noexcept { return header_.end() + batch_bytes_; }
  /// What the header takes, and its room.
  [[nodiscard]] std::uint64_t header_bound() const noexcept { return header_.bound(); }
  [[nodiscard]] std::uint64_t room() const noexcept { return room_; }

  /// Takes a record, to be written with the batch. Its tensors must stay as they are until then.
  /// \returns false, and leaves it, where the header or the journal has no room for it; the first
  /// record is always taken
  [[nodiscard]] bool add(PreparedRecord& record);
  [[nodiscard]] std::uint64_t batch_bytes() const noexcept { return batch_bytes_; }
  /// Writes the records that were added. \throws Error `cannot_write`
  void write_batch();

  /// What is done with a segment that has no record.
  enum class Empty : std::uint8_t { removed, kept };

  /// Gives the file its header, with all records whose frames were written, and its name. To be
  /// called once, as the last. \param about the text of `metadata_key`
  /// \returns whether there is a file \throws Error `cannot_write`
  bool seal(const std::string& about, Empty empty);

 private:
  /// Records of the batch that lie side by side: one, or those that are rows of one tensor.
  struct Run {
    std::vector<std::uint32_t> records;  // Their places in the batch.
    std::uint64_t begin = 0;
    std::uint64_t hash = 0;
  };
  /// What rows of one tensor have in common.
  struct RowKind {
    DType dtype;
    DType own_dtype;
    Shape shape;

    friend bool operator==(const RowKind&, const RowKind&) = default;
  };
  struct RowKindHash {
    std::size_t operator()(const RowKind& kind) const noexcept;
  };

  /// The run of the batch in which a record would be a row, or null.
  [[nodiscard]] Run* run_of(const Frame& frame);
  /// Gives the records of the batch their places.
  void place();
  void write_data();
  /// Hashes the batch's tensors, and makes what the journal says of its records.
  void make_frames();
  void add_to_header();
  /// Has bytes written behind those before; they must stay as they are until then.
  void queue(std::span<const std::byte> bytes);
  void write_queue();

  std::filesystem::path folder_;
  std::uint64_t number_;
  std::uint64_t room_;
  SegmentOptions options_;
  std::filesystem::path part_path_;
  std::filesystem::path journal_path_;
  platform::os::File part_;
  platform::os::File journal_;
  SegmentHeader header_;
  std::vector<PreparedRecord> batch_;
  std::vector<Run> runs_;  // Of the batch, as they lie in the file.
  std::unordered_map<RowKind, std::size_t, RowKindHash> run_of_kind_;
  std::uint64_t batch_bytes_ = 0;
  std::uint64_t batch_end_ = 0;
  std::uint64_t batch_cost_ = 0;
  std::uint64_t journal_cost_ = 0;  // What the journal takes at most, the batch included.
  std::uint64_t journal_end_ = 0;
  std::uint64_t data_end_ = 0;  // Of what is written.
  std::vector<platform::os::Bytes> queue_;
  std::uint64_t queued_ = 0;       // Bytes of the queue.
  std::vector<std::byte> staged_;  // Copies of small pieces, which the queue names.
  std::vector<std::byte> frames_;
};

}  // namespace safestructures::inline v0::recording
