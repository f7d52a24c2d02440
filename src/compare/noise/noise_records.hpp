/// \file
/// A further run that is a recording, and where its records are.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <safestructures/data/value.hpp>
#include <safestructures/recording/recording.hpp>
#include "recording/record_table.hpp"

namespace safestructures::inline v0::comparing {

/// Finds records by what names them. May be used by several threads at once.
class NoiseRecords {
 public:
  explicit NoiseRecords(std::shared_ptr<const Recording> run);

  /// What names a record: a place in the table's names, and the step and call.
  struct Key {
    std::uint32_t name = 0;
    std::int64_t step = 0;
    std::uint64_t call = 0;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  [[nodiscard]] const recording::RecordTable& table() const noexcept { return *table_; }
  /// The place of the record that is named so, the first of several. \param guess where it may be
  [[nodiscard]] std::optional<std::size_t> find(const Key& key, std::size_t guess) const;
  /// The value of a record which is a number or a tensor; nothing where it is another.
  [[nodiscard]] std::optional<Value> number(std::size_t place) const;

 private:
  struct Entry {
    Key key;
    std::size_t place = 0;

    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  [[nodiscard]] Key key_of(const recording::RecordTable::Place& place) const;

  std::shared_ptr<const Recording> run_;
  const recording::RecordTable* table_;
  // All records, sorted: made when one is not where it was guessed, as in runs of other programs.
  mutable std::once_flag is_sorted_;
  mutable std::vector<Entry> sorted_;
};

}  // namespace safestructures::inline v0::comparing
