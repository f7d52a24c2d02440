#include "recording/record_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace safestructures::inline v0::recording {
namespace {

constexpr std::uint32_t no_name = std::numeric_limits<std::uint32_t>::max();

/// The first place with that number.
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
  // A name of none that is new is no name of the recording, whose names are in this order.
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

std::int64_t RecordTable::step_of(std::size_t index) const {
  const Place place = at(index);
  return place.part->segment->columns().step[place.record];
}

std::uint64_t RecordTable::call_of(std::size_t index) const {
  const Place place = at(index);
  return place.part->segment->columns().call[place.record];
}

const RecordTable::Named* RecordTable::named(std::string_view name) const {
  named_.resize(names_.size());
  while (indexed_ < size_) {
    const Part& part = *at(indexed_).part;
    const ReadColumns& columns = part.segment->columns();
    for (std::size_t record = indexed_ - part.begin + part.skipped; record < part.segment->size();
         ++record) {
      Named& one = named_[part.names[columns.name[record]]];
      if (!one.places.empty()) {
        one.has_ascending_steps &= step_of(one.places.back()) <= columns.step[record];
        one.has_ascending_calls &= call_of(one.places.back()) <= columns.call[record];
      }
      one.places.push_back(indexed_++);
    }
  }
  const std::optional<std::uint32_t> place = place_of(name);
  return place ? &named_[*place] : nullptr;
}

std::optional<std::size_t> RecordTable::find(std::string_view name, std::int64_t step) const {
  const std::lock_guard lock(mutex_);
  const Named* const known = named(name);
  if (known == nullptr) return std::nullopt;
  return first_of(known->places, known->has_ascending_steps, step,
                  [this](std::size_t index) { return step_of(index); });
}

std::optional<std::size_t> RecordTable::find_call(std::string_view name, std::uint64_t call) const {
  const std::lock_guard lock(mutex_);
  const Named* const known = named(name);
  if (known == nullptr) return std::nullopt;
  return first_of(known->places, known->has_ascending_calls, call,
                  [this](std::size_t index) { return call_of(index); });
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
