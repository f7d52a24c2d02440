/// \file
/// The header of a segment, gathered record by record and written when the segment is sealed.
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

/// The metadata of a segment that says what it is.
inline constexpr std::string_view metadata_key = "safestructures_recording";

/// Room that is kept for the metadata, whatever the records take.
inline constexpr std::uint64_t metadata_room = std::uint64_t{16} << 10U;

/// A name that starts with this is no record's, but of bytes between those of records.
inline constexpr std::string_view gap_prefix = "gap.";

/// XXH3-64 of so many zeros.
[[nodiscard]] std::uint64_t hash_of_zeros(std::uint64_t count);

/// What rows of one tensor have in common.
struct RowKind {
  DType dtype = DType::F32;
  DType own_dtype = DType::F32;  ///< Before they were converted.
  Shape shape;

  friend bool operator==(const RowKind&, const RowKind&) = default;
};

/// Whether a record that is a lone tensor may share one with others of its kind, whose rows are
/// their values: one of at most 16 KiB. Its own line in the header, its node and its checksum would
/// take some 200 bytes of text.
[[nodiscard]] bool may_be_row(DType dtype, const Shape& shape, std::uint64_t bytes) noexcept;

/// Records of one kind that lie side by side.
struct Rows {
  RowKind kind;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  ///< Of each.
  std::uint64_t count = 0;
  std::uint64_t hash = 0;  ///< XXH3-64 of all.
};

/// What stands in front of the data of a segment, in order, in pieces: what takes the most memory
/// is there already, or zeros, which a file that was reserved has without writing them. With all
/// of it in one text of 256 KiB sealing 1,000 records took four times as long.
struct SegmentFront {
  std::string header;  ///< With its length in front.
  std::vector<std::span<const std::byte>> columns;
  std::uint64_t zeros = 0;

  [[nodiscard]] std::uint64_t size() const noexcept;
  [[nodiscard]] std::string text() const;  ///< All of it.
};

/// What the header says of the records of one segment.
class SegmentHeader {
 public:
  SegmentHeader() = default;

  /// Bytes in front of the data that a record takes at most, its name included.
  [[nodiscard]] static std::uint64_t cost(const Frame& frame);
  /// The same of one that is a tensor of so many dimensions and nothing else. \param of_name the
  /// cost of its name
  [[nodiscard]] static std::uint64_t cost_of_tensor(std::uint64_t of_name,
                                                    std::size_t rank) noexcept;
  /// What is not needed for a name that was there before.
  [[nodiscard]] static std::uint64_t cost_of_name(std::string_view name);
  /// The place of a name among those of the segment, if it has one.
  [[nodiscard]] std::optional<std::uint32_t> find_name(std::string_view name) const;
  /// Gives a name a place, if it has none. \returns its place
  std::uint32_t add_name(std::string_view name);

  /// Bytes in front of the data that all take at most, the metadata's room included.
  [[nodiscard]] std::uint64_t bound() const noexcept { return bound_; }
  /// The end of the data so far.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] std::size_t records() const noexcept { return columns_.sequence.size(); }

  /// Where the value of a record is.
  struct Place {
    std::uint32_t value = 0;
    std::int32_t row = no_row;
  };

  /// Adds bytes that no record has: a safetensors file has none that belong to no tensor.
  void add_gap(std::uint64_t end, std::uint64_t hash);
  /// Adds what lies behind `end()`: the value of a record. \param frame is used up, but for its
  /// head
  /// \returns its place among the values
  std::uint32_t add_value(Frame& frame);
  /// The same of records of one kind, which have one place. \param first the head of the first
  std::uint32_t add_rows(const RecordHead& first, const Rows& rows);
  /// Says how many records will be added, where there are none yet.
  void expect_records(std::size_t count);
  /// Adds a record, behind those of smaller sequence. \param name the place of its name
  void add_record(const RecordHead& head, Place place, std::uint32_t name);

  /// What it says at some time, to go back to when not all of a batch could be added.
  struct Mark {
    std::size_t records = 0;
    std::size_t nodes = 0;
    std::uint32_t values = 0;
    std::size_t tensors = 0;
    std::uint64_t bound = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] Mark mark() const noexcept;
  /// Forgets what was added since, but for names.
  void back_to(const Mark& mark) noexcept;

  /// Gives XXH3-64 of the data between two places, which is 0 where nobody wants to know.
  using HashOf = std::function<std::uint64_t(std::uint64_t begin, std::uint64_t end)>;
  /// Adds records in the order of their sequence, whose data lie behind `end()` in any order. Those
  /// that lie side by side and are alike become rows of one tensor.
  /// \param frames are used up, but for their heads
  void add(std::span<Frame* const> frames, const HashOf& hash_of);

  /// The first bytes of the file, `room` of them, a multiple of 8: the length, the header with some
  /// blanks, the columns, and what room is left, as zeros. With room 0 few are.
  /// \param about the text of `metadata_key`; passed over where it does not fit
  /// \returns what is good for as long as this object stays as it is
  /// \throws Error `limit_exceeded` where it does not fit without
  [[nodiscard]] SegmentFront front(std::string about, std::uint64_t room, bool checksums) const;

 private:
  /// \returns its place among the values
  std::uint32_t add_node(const std::string& node);
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
