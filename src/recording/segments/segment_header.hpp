/// \file
/// The header of a segment, built record by record and written when the segment is sealed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/keyed_hash.hpp"
#include "recording/segments/frame.hpp"
#include "recording/segments/segment_columns.hpp"

namespace safestructures::inline v0::recording {

/// The metadata key that describes the segment.
inline constexpr std::string_view metadata_key = "safestructures_recording";

/// The version of the layout of segments, in the metadata. Version 1 had a list of records instead
/// of columns.
inline constexpr std::uint64_t layout_version = 2;

/// Bytes reserved for the metadata, whatever the records take.
inline constexpr std::uint64_t metadata_room = std::uint64_t{16} << 10U;

/// Names with this prefix belong to bytes between records, not to records.
inline constexpr std::string_view gap_prefix = "gap.";

/// Returns the XXH3-64 of `count` zeros.
[[nodiscard]] std::uint64_t hash_of_zeros(std::uint64_t count);

/// What rows of one tensor have in common.
struct RowKind {
  DType dtype = DType::F32;
  DType own_dtype = DType::F32;  ///< Before conversion.
  Shape shape;

  friend bool operator==(const RowKind&, const RowKind&) = default;
};

/// Whether a record that is a lone tensor may become a row of a tensor shared with others of its
/// kind: if it has at most 16 KiB. Its own header entry, node and checksum would take some 200
/// bytes of text.
[[nodiscard]] bool may_be_row(DType dtype, const Shape& shape, std::uint64_t bytes) noexcept;

/// Records of one kind, stored next to each other.
struct Rows {
  RowKind kind;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  ///< The size of each.
  std::uint64_t count = 0;
  std::uint64_t hash = 0;  ///< XXH3-64 of all rows.
  std::uint64_t lost = 0;  ///< How many of them no record has.
};

/// What precedes the data of a segment, as pieces in order: the largest are already in memory, or
/// are zeros, which a file with reserved space has without writing them. Putting everything into
/// one text of 256 KiB made sealing 1,000 records four times as slow.
struct SegmentFront {
  std::string header;  ///< Including its length.
  std::vector<std::span<const std::byte>> columns;
  std::uint64_t zeros = 0;

  [[nodiscard]] std::uint64_t size() const noexcept;
  [[nodiscard]] std::string text() const;  ///< Returns all of it.
};

/// The header of a segment, with the data about its records.
class SegmentHeader {
 public:
  SegmentHeader() = default;

  /// Returns an upper bound on the bytes that a record adds before the data, including its name.
  [[nodiscard]] static std::uint64_t cost(const Frame& frame);
  /// The same for a lone tensor with `rank` dimensions. \param of_name the cost of its name
  [[nodiscard]] static std::uint64_t cost_of_tensor(std::uint64_t of_name,
                                                    std::size_t rank) noexcept;
  /// Returns the part of the cost that a name already present does not add.
  [[nodiscard]] static std::uint64_t cost_of_name(std::string_view name);
  /// Returns the index of a name in the segment, if present.
  [[nodiscard]] std::optional<std::uint32_t> find_name(std::string_view name) const;
  /// Adds a name unless present. \returns its index
  std::uint32_t add_name(std::string_view name);

  /// Returns an upper bound on all bytes before the data, including the metadata's.
  [[nodiscard]] std::uint64_t bound() const noexcept { return bound_; }
  /// Returns the end of the data so far.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] std::size_t records() const noexcept { return columns_.sequence.size(); }

  /// Where the value of a record is.
  struct Place {
    std::uint32_t value = 0;
    std::int32_t row = no_row;
  };

  /// Adds bytes that belong to no record: in a safetensors file, all bytes must belong to a tensor.
  void add_gap(std::uint64_t end, std::uint64_t hash);
  /// Adds a record's value, stored after `end()`. \param frame consumed, except for its head
  /// \returns the index of the value
  std::uint32_t add_value(Frame& frame);
  /// The same for records of one kind, which share one value. \param first the head of the first
  std::uint32_t add_rows(const RecordHead& first, const Rows& rows);
  /// Reserves space for that many records, if there are none yet.
  void expect_records(std::size_t count);
  /// Adds a record; sequences must ascend. \param name the index of its name
  void add_record(const RecordHead& head, Place place, std::uint32_t name);

  /// A state to go back to if not all of a batch could be added.
  struct Mark {
    std::size_t records = 0;
    std::size_t nodes = 0;
    std::uint32_t values = 0;
    std::size_t tensors = 0;
    std::uint64_t bound = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] Mark mark() const noexcept;
  /// Removes everything added since, except names.
  void back_to(const Mark& mark) noexcept;

  /// Returns the XXH3-64 of the data between two offsets; 0 if hashes are not wanted.
  using HashOf = std::function<std::uint64_t(std::uint64_t begin, std::uint64_t end)>;
  /// Adds records in sequence order, whose data are after `end()` in any order. Adjacent records of
  /// one kind become rows of one tensor; so do lost ones before and between them, which no record
  /// has. \param frames consumed, except for their heads
  void add(std::span<Frame* const> frames, const HashOf& hash_of);

  /// Returns the first `room` bytes of the file, a multiple of 8: the length, the header padded
  /// with some blanks, the columns, and zeros in the remaining room. With room 0, as few bytes as
  /// possible.
  /// \param about the text for `metadata_key`; omitted if it does not fit
  /// \returns views valid until this object changes
  /// \throws Error `limit_exceeded` if it does not fit even without `about`
  [[nodiscard]] SegmentFront front(std::string about, std::uint64_t room, bool checksums) const;

 private:
  /// \returns its index among the values
  std::uint32_t add_node(const std::string& node);
  [[nodiscard]] std::string schema_text() const;

  SegmentColumns columns_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, detail::KeyedHash, std::equal_to<>> places_;
  std::string nodes_;  // Of `values`, separated by commas.
  std::uint32_t values_ = 0;
  std::vector<StoredTensor> tensors_;  // In file order.
  std::uint64_t bound_ = metadata_room;
  std::uint64_t end_ = 0;
};

}  // namespace safestructures::inline v0::recording
