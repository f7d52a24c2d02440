#include "recording/record_table.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

namespace safestructures::inline v0::recording {
namespace {

constexpr std::size_t scans_before_index = 20;
constexpr std::uint32_t no_name = std::numeric_limits<std::uint32_t>::max();

/// Returns the first place with that number.
template <class Number, class NumberOf>
std::optional<std::size_t> first_of(const std::vector<std::size_t>& places, bool is_ascending,
                                    Number number, const NumberOf& number_of) {
  const auto found = is_ascending ? std::ranges::lower_bound(places, number, {}, number_of)
                                  : std::ranges::find(places, number, number_of);
  if (found == places.end() || number_of(*found) != number) return std::nullopt;
  return *found;
}

}  // namespace

void RecordTable::add(std::shared_ptr<const Segment> segment) {
  const ReadColumns& columns = segment->columns();
  const auto first = std::ranges::lower_bound(columns.sequence, next_sequence_);
  const auto skipped = static_cast<std::size_t>(first - columns.sequence.begin());
  if (skipped == columns.sequence.size()) return;
  Part part{.segment = std::move(segment), .skipped = skipped, .begin = size_, .names = {}};
  // Names without a new record are skipped: the recording's names are ordered by first record.
  const std::vector<Value>& names = part.segment->names();
  part.names.resize(names.size(), no_name);
  for (const std::uint32_t name : columns.name.subspan(skipped))
    if (part.names[name] == no_name) part.names[name] = id_of(names[name].as_string());
  next_sequence_ = columns.sequence.back() + 1;
  size_ += part.size();
  parts_.push_back(std::move(part));
}

std::uint32_t RecordTable::id_of(const std::string& name) {
  const auto [found, is_new] = ids_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return found->second;
}

std::optional<std::uint32_t> RecordTable::place_of(std::string_view name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

RecordTable::Place RecordTable::at(std::size_t index) const {
  const auto after = std::ranges::upper_bound(parts_, index, {}, &Part::begin);
  const Part& part = *std::prev(after);
  return {&part, index - part.begin + part.skipped};
}

template <class Number>
Number RecordTable::number_of(std::size_t index,
                              std::span<const Number> ReadColumns::* column) const {
  const Place place = at(index);
  return (place.part->segment->columns().*column)[place.record];
}

void RecordTable::index() const {
  named_.resize(names_.size());
  while (indexed_ < size_) {
    const Part& part = *at(indexed_).part;
    const ReadColumns& columns = part.segment->columns();
    for (std::size_t record = indexed_ - part.begin + part.skipped; record < part.segment->size();
         ++record) {
      Named& one = named_[part.names[columns.name[record]]];
      if (!one.places.empty()) {
        const std::size_t last = one.places.back();
        one.has_ascending_steps &= number_of(last, &ReadColumns::step) <= columns.step[record];
        one.has_ascending_calls &= number_of(last, &ReadColumns::call) <= columns.call[record];
      }
      one.places.push_back(indexed_++);
    }
  }
}

template <class Number>
std::optional<std::size_t> RecordTable::scan(std::uint32_t name, Number number,
                                             std::span<const Number> ReadColumns::* column) const {
  for (const Part& part : parts_) {
    const ReadColumns& columns = part.segment->columns();
    const std::span<const Number> numbers = columns.*column;
    for (std::size_t i = part.skipped; i < numbers.size(); ++i) {
      if (numbers[i] != number || part.names[columns.name[i]] != name) continue;
      const std::size_t found = part.begin + i - part.skipped;
      scanned_ += found;
      return found;
    }
  }
  scanned_ += size_;
  return std::nullopt;
}

template <class Number>
std::optional<std::size_t> RecordTable::find(std::string_view name, Number number,
                                             std::span<const Number> ReadColumns::* column,
                                             bool Named::* is_ascending) const {
  const std::optional<std::uint32_t> place = place_of(name);
  if (!place) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (scanned_ / scans_before_index < size_) return scan(*place, number, column);
  index();
  const Named& known = named_[*place];
  return first_of(known.places, known.*is_ascending, number,
                  [&](std::size_t index) { return number_of(index, column); });
}

std::optional<std::size_t> RecordTable::find(std::string_view name, std::int64_t step) const {
  return find(name, step, &ReadColumns::step, &Named::has_ascending_steps);
}

std::optional<std::size_t> RecordTable::find_call(std::string_view name, std::uint64_t call) const {
  return find(name, call, &ReadColumns::call, &Named::has_ascending_calls);
}

void RecordCursor::move_to(std::size_t index) {
  part_ = table_->at(index).part;
  begin_ = part_->begin;
  size_ = part_->size();
  const ReadColumns& columns = part_->segment->columns();
  name_ = columns.name.data() + part_->skipped;
  value_ = columns.value.data() + part_->skipped;
  row_ = columns.row.data() + part_->skipped;
  kept_ = columns.kept.data() + part_->skipped;
  names_ = part_->names.data();
  values_ = part_->segment->values().data();
}

}  // namespace safestructures::inline v0::recording
