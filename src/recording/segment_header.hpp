/// \file
/// The header of a segment, gathered record by record and written when the segment is sealed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/keyed_hash.hpp"
#include "recording/frame.hpp"
#include "recording/segment_columns.hpp"

namespace safestructures::inline v0::recording {

/// The metadata of a segment that says what it is.
inline constexpr std::string_view metadata_key = "safestructures_recording";

/// Room that is kept for the metadata, whatever the records take.
inline constexpr std::uint64_t metadata_room = std::uint64_t{16} << 10U;

/// A name that starts with this is no record's, but of bytes between those of records.
inline constexpr std::string_view gap_prefix = "gap.";

/// Whether a record may share one tensor with others of the same dtypes and shape, whose rows are
/// their values: a lone tensor of at most 16 KiB. Its own line in the header, its node and its
/// checksum would take some 200 bytes of text.
[[nodiscard]] bool may_be_row(const Frame& frame) noexcept;
/// Whether both may be rows of the same tensor.
[[nodiscard]] bool are_alike(const Frame& a, const Frame& b) noexcept;

/// What the header says of the records of one segment.
class SegmentHeader {
 public:
  SegmentHeader() = default;

  /// Bytes in front of the data that a record takes at most, its name included.
  [[nodiscard]] static std::uint64_t cost(const Frame& frame);
  /// The same of one that is a row behind another.
  [[nodiscard]] static std::uint64_t cost_of_row(const Frame& frame) {
    return SegmentColumns::record_size + cost_of_name(frame.head.name);
  }
  /// What of that is not needed for a name that was there before.
  [[nodiscard]] static std::uint64_t cost_of_name(std::string_view name);
  [[nodiscard]] bool has_name(std::string_view name) const { return places_.contains(name); }
  /// Gives a name a place among those of the segment, if it has none. \returns its place
  std::uint32_t add_name(std::string_view name);

  /// Bytes in front of the data that all take at most, the metadata's room included.
  [[nodiscard]] std::uint64_t bound() const noexcept { return bound_; }
  /// The end of the data so far.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] std::size_t records() const noexcept { return columns_.sequence.size(); }

  /// Gives XXH3-64 of the data between two places, which is 0 where nobody wants to know.
  using HashOf = std::function<std::uint64_t(std::uint64_t begin, std::uint64_t end)>;

  /// Adds records in the order of their sequence, whose data lie behind `end()` in any order. Those
  /// that lie side by side and are alike become rows of one tensor, which `hash_of` is asked for,
  /// as it is for bytes that no record has: a safetensors file has none that belong to no tensor.
  /// \param frames are used up, but for their heads
  void add(std::span<Frame* const> frames, const HashOf& hash_of);

  /// The first bytes of the file, `room` of them, a multiple of 8: the length, the header with some
  /// blanks, the columns, and what room is left. With room 0 nothing is left.
  /// \param about the text of `metadata_key`; passed over where it does not fit
  /// \throws Error `limit_exceeded` where it does not fit without
  [[nodiscard]] std::string text(std::string about, std::uint64_t room, bool checksums) const;

 private:
  /// Where the value of a record is.
  struct Place {
    std::uint32_t value = 0;
    std::int32_t row = no_row;
  };

  void add_gap(std::uint64_t end, std::uint64_t hash);
  /// Adds the next item of `values`.
  void add_value(Frame& frame);
  void add_rows(const Frame& first, std::size_t count, std::uint64_t hash);
  void add_node(const std::string& node);
  void add_record(const RecordHead& head, Place place);
  [[nodiscard]] std::string schema_text() const;

  SegmentColumns columns_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, detail::KeyedHash, std::equal_to<>> places_;
  std::string nodes_;  // Of `values`, with commas.
  std::uint32_t values_ = 0;
  std::vector<StoredTensor> tensors_;  // By their places.
  std::uint64_t bound_ = metadata_room;
  std::uint64_t end_ = 0;
};

}  // namespace safestructures::inline v0::recording
