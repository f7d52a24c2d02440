/// \file
/// The records of all segments that were read, as one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/keyed_hash.hpp"
#include "recording/segments/segment.hpp"

namespace safestructures::inline v0 {
class Recording;
}

namespace safestructures::inline v0::recording {

/// Constant members may be called by several threads at once.
class RecordTable {
 public:
  /// The records of one segment that the table has: all from one on.
  struct Part {
    std::shared_ptr<const Segment> segment;
    std::size_t skipped = 0;           ///< Records of the segment before them.
    std::size_t begin = 0;             ///< Of the first one, in the table.
    std::vector<std::uint32_t> names;  ///< Places in `RecordTable::names`, by those in the segment.

    [[nodiscard]] std::size_t size() const { return segment->size() - skipped; }
  };
  /// Where a record is.
  struct Place {
    const Part* part = nullptr;
    std::size_t record = 0;  ///< In its segment.

    [[nodiscard]] std::uint32_t name() const {
      return part->names[part->segment->columns().name[record]];
    }
  };

  /// That of a recording. Valid as long as it.
  [[nodiscard]] static const RecordTable& of(const Recording& recording) noexcept;

  /// Adds the records of a segment that come after all that are here.
  void add(std::shared_ptr<const Segment> segment);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }
  [[nodiscard]] Place at(std::size_t index) const;
  /// Of all records, by their first.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// The place of a name among them.
  [[nodiscard]] std::optional<std::uint32_t> place_of(std::string_view name) const;

  /// The first record of a name and a step, or of a name and a call.
  /// @{
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name, std::int64_t step) const;
  [[nodiscard]] std::optional<std::size_t> find_call(std::string_view name,
                                                     std::uint64_t call) const;
  /// @}

 private:
  /// The records of one name, by their places, and whether their steps and calls ascend, as those
  /// of one thread do.
  struct Named {
    std::vector<std::size_t> places;
    bool has_ascending_steps = true;
    bool has_ascending_calls = true;
  };

  [[nodiscard]] std::uint32_t id_of(const std::string& name);
  /// The first record of a name and a number of a column. \param is_ascending whether the numbers
  /// are, of the records of one name
  template <class Number>
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name, Number number,
                                                std::span<const Number> ReadColumns::* column,
                                                bool Named::* is_ascending) const;
  /// The same without the index.
  template <class Number>
  [[nodiscard]] std::optional<std::size_t> scan(
      std::uint32_t name, Number number, std::span<const Number> ReadColumns::* column) const;
  /// Brings the index up to date.
  void index() const;
  template <class Number>
  [[nodiscard]] Number number_of(std::size_t index,
                                 std::span<const Number> ReadColumns::* column) const;

  std::vector<Part> parts_;
  std::size_t size_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::vector<std::string> names_;
  // Places in `names_`.
  std::unordered_map<std::string, std::uint32_t, detail::KeyedHash, std::equal_to<>> ids_;
  // Made once records were looked for without it for as long as it takes to make, as 20 scans of
  // all: opening 100,000 records took twice as long with it.
  mutable std::mutex mutex_;
  mutable std::vector<Named> named_;  // By places in `names_`.
  mutable std::size_t indexed_ = 0;   // Records that are in it.
  mutable std::size_t scanned_ = 0;   // Records that were looked at without it.
};

/// What says where the value of a record is.
struct StoredRecord {
  std::uint32_t name = 0;        ///< Place in `RecordTable::names`.
  const Value* value = nullptr;  ///< Its own, or the tensor that it is a row of.
  std::int32_t row = no_row;
  std::uint8_t kept = 0;  ///< A Keep.

  [[nodiscard]] bool is_row() const noexcept { return row != no_row; }
};

/// Looks records up that follow each other, mostly: what leads to them is found once for a segment.
class RecordCursor {
 public:
  explicit RecordCursor(const RecordTable& table) : table_(&table) {}

  [[nodiscard]] RecordTable::Place at(std::size_t index) {
    if (index - begin_ >= size_) move_to(index);
    return {part_, index - begin_ + part_->skipped};
  }
  [[nodiscard]] StoredRecord stored_at(std::size_t index) {
    if (index - begin_ >= size_) move_to(index);
    const std::size_t i = index - begin_;
    return {names_[name_[i]], values_ + value_[i], row_[i], kept_[i]};
  }

 private:
  void move_to(std::size_t index);

  const RecordTable* table_;
  const RecordTable::Part* part_ = nullptr;
  std::size_t begin_ = 0;  // Of the part.
  std::size_t size_ = 0;
  // From the part's first record on.
  const std::uint32_t* name_ = nullptr;
  const std::uint32_t* value_ = nullptr;
  const std::int32_t* row_ = nullptr;
  const std::uint8_t* kept_ = nullptr;
  // By what these say.
  const std::uint32_t* names_ = nullptr;
  const Value* values_ = nullptr;
};

}  // namespace safestructures::inline v0::recording
