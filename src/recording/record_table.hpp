/// \file
/// The records of all segments that were read, as one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
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

/// Const members may be called from several threads at once.
class RecordTable {
 public:
  /// The records of one segment in the table: all from `skipped` on.
  struct Part {
    std::shared_ptr<const Segment> segment;
    std::size_t skipped = 0;           ///< Records of the segment that are not in the table.
    std::size_t begin = 0;             ///< Index of the first one in the table.
    std::vector<std::uint32_t> names;  ///< By name in the segment: indices into the table's.

    [[nodiscard]] std::size_t size() const { return segment->size() - skipped; }
  };
  /// The location of a record.
  struct Place {
    const Part* part = nullptr;
    std::size_t record = 0;  ///< Index in its segment.

    [[nodiscard]] std::uint32_t name() const {
      return part->names[part->segment->columns().name[record]];
    }
  };

  /// Returns the table of a recording, valid as long as the recording.
  [[nodiscard]] static const RecordTable& of(const Recording& recording) noexcept;

  /// Adds those records of a segment that come after all records in the table.
  void add(std::shared_ptr<const Segment> segment);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }
  [[nodiscard]] Place at(std::size_t index) const;
  /// Returns all names, ordered by first record.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// Returns the index of a name in `names`.
  [[nodiscard]] std::optional<std::uint32_t> place_of(std::string_view name) const;

  /// Returns the first record with a name and step, or with a name and call.
  /// @{
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name, std::int64_t step) const;
  [[nodiscard]] std::optional<std::size_t> find_call(std::string_view name,
                                                     std::uint64_t call) const;
  /// @}

 private:
  /// The indices of the records with one name, and whether their steps and calls ascend, as they do
  /// if recorded by one thread.
  struct Named {
    std::vector<std::size_t> places;
    bool has_ascending_steps = true;
    bool has_ascending_calls = true;
  };

  [[nodiscard]] std::uint32_t id_of(const std::string& name);
  /// Returns the first record with a name and a number in a column. \param is_ascending the member
  /// that tells whether the numbers of one name ascend
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
  // Indices into `names_`.
  std::unordered_map<std::string, std::uint32_t, detail::KeyedHash, std::equal_to<>> ids_;
  // The index, built once lookups without it have taken as long as building it does, which is 20
  // scans of all records: building it when opening 100,000 records made that take twice as long.
  mutable std::mutex mutex_;
  mutable std::vector<Named> named_;  // Indexed like `names_`.
  mutable std::size_t indexed_ = 0;   // Records in the index.
  mutable std::size_t scanned_ = 0;   // Records scanned without the index.
};

/// Where the value of a record is.
struct StoredRecord {
  std::uint32_t name = 0;        ///< Index into `RecordTable::names`.
  const Value* value = nullptr;  ///< The value, or the tensor that it is a row of.
  std::int32_t row = no_row;
  std::uint8_t kept = 0;  ///< A Keep.

  [[nodiscard]] bool is_row() const noexcept { return row != no_row; }
};

/// Looks up records that mostly follow each other: their segment is located only once.
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
  std::size_t begin_ = 0;  // The index of the part's first record.
  std::size_t size_ = 0;
  // The columns from the part's first record on.
  const std::uint32_t* name_ = nullptr;
  const std::uint32_t* value_ = nullptr;
  const std::int32_t* row_ = nullptr;
  const std::uint8_t* kept_ = nullptr;
  // What the columns index.
  const std::uint32_t* names_ = nullptr;
  const Value* values_ = nullptr;
};

}  // namespace safestructures::inline v0::recording
