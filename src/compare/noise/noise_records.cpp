#include "compare/noise/noise_records.hpp"

#include <algorithm>
#include <utility>

#include "compare/pairing/tree_nodes.hpp"

namespace safestructures::inline v0::comparing {

using recording::RecordTable;

NoiseRecords::NoiseRecords(std::shared_ptr<const Recording> run)
    : run_(std::move(run)), table_(&RecordTable::of(*run_)) {}

NoiseRecords::Key NoiseRecords::key_of(const RecordTable::Place& place) const {
  const recording::ReadColumns& columns = place.part->segment->columns();
  return {place.name(), columns.step[place.record], columns.call[place.record]};
}

std::optional<std::size_t> NoiseRecords::find(const Key& key, std::size_t guess) const {
  if (guess < table_->size() && key_of(table_->at(guess)) == key) return guess;
  std::call_once(is_sorted_, [this] {
    recording::RecordCursor cursor(*table_);
    sorted_.reserve(table_->size());
    for (std::size_t i = 0; i < table_->size(); ++i) sorted_.push_back({key_of(cursor.at(i)), i});
    std::ranges::sort(sorted_);
  });
  const auto found = std::ranges::lower_bound(sorted_, key, {}, &Entry::key);
  if (found == sorted_.end() || found->key != key) return std::nullopt;
  return found->place;
}

std::optional<Value> NoiseRecords::number(std::size_t place) const {
  const RecordTable::Place at = table_->at(place);
  const recording::Segment& segment = *at.part->segment;
  const Value& stored = segment.stored(at.record);
  if (segment.is_row(at.record)) return segment.row(at.record);
  return is_number(stored) ? std::optional(stored) : std::nullopt;
}

}  // namespace safestructures::inline v0::comparing
