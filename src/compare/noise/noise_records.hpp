/// \file
/// A further run that is a recording, with a lookup of its records.
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

/// Finds records by their keys. Safe to use from several threads at once.
class NoiseRecords {
 public:
  explicit NoiseRecords(std::shared_ptr<const Recording> run);

  /// The key of a record: its name's index in the table, step and call.
  struct Key {
    std::uint32_t name = 0;
    std::int64_t step = 0;
    std::uint64_t call = 0;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  [[nodiscard]] const recording::RecordTable& table() const noexcept { return *table_; }
  /// Returns the index of the record with this key, the first if there are several. \param guess
  /// where it may be
  [[nodiscard]] std::optional<std::size_t> find(const Key& key, std::size_t guess) const;
  /// Returns the value of a record that is a number or a tensor; null for other records.
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
  // All records, sorted. Built when a record is not where it was guessed, as in runs of other
  // programs.
  mutable std::once_flag is_sorted_;
  mutable std::vector<Entry> sorted_;
};

}  // namespace safestructures::inline v0::comparing
