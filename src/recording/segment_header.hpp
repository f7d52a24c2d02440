/// \file
/// The header of a segment, gathered record by record and written when the segment is sealed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "recording/frame.hpp"

namespace safestructures::inline v0::recording {

/// The metadata of a segment that says what it is.
inline constexpr std::string_view metadata_key = "safestructures_recording";

/// Room that is kept for the metadata, whatever the records take.
inline constexpr std::uint64_t metadata_room = std::uint64_t{16} << 10U;

/// A name that starts with this is no record's, but of bytes between those of records.
inline constexpr std::string_view gap_prefix = "gap.";

/// What the header says of the records of one segment.
class SegmentHeader {
 public:
  SegmentHeader() = default;
  /// \param room bytes of the header to be ready for; must not come from a file
  explicit SegmentHeader(std::uint64_t room);

  /// Bytes of the header that a record takes at most.
  [[nodiscard]] static std::uint64_t cost(const Frame& frame);
  /// Bytes of the header that all take at most, the metadata's room included.
  [[nodiscard]] std::uint64_t bound() const noexcept { return bound_; }
  /// The end of the data so far.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }
  [[nodiscard]] bool has_tensors() const noexcept { return !tensors_.empty(); }

  /// Adds a record whose data begin at `end()`.
  void add(Frame frame);
  /// The same where its `cost` is known.
  void add(Frame frame, std::uint64_t cost);
  /// Adds bytes that no record has: a safetensors file has none that belong to no tensor.
  void add_gap(std::uint64_t end, std::uint64_t hash);
  /// Adds the tensor that stands in a file without one, of eight zero bytes.
  void add_dummy();
  /// Where the data of a record begin that needs this alignment.
  [[nodiscard]] std::uint64_t aligned_end(std::size_t alignment) const noexcept;

  /// The first bytes of the file: the length, the header, and blanks up to `room` bytes, a multiple
  /// of 8. With room 0 as few blanks as can be.
  /// \param about the text of `metadata_key`; passed over where it does not fit
  /// \throws Error `limit_exceeded` where it does not fit without
  [[nodiscard]] std::string text(std::string about, std::uint64_t room, bool checksums) const;

 private:
  void append_tensor(StoredTensor tensor);

  std::string schema_;  // The records' nodes, with commas.
  std::vector<StoredTensor> tensors_;
  std::uint64_t bound_ = metadata_room;
  std::uint64_t end_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace safestructures::inline v0::recording
