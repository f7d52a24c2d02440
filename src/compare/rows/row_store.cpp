#include "compare/rows/row_store.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>

#include <safestructures/data/error.hpp>
#include "compare/rows/record_error.hpp"

namespace safestructures::inline v0 {

using comparing::RowStore;

std::size_t ComparisonRows::size() const noexcept { return store_ ? store_->size() : 0; }

const ComparisonRow& ComparisonRows::operator[](std::size_t index) const& {
  return store_->kept(index);
}

const ComparisonRow& ComparisonRows::at(std::size_t index) const& {
  if (index >= size())
    throw Error(ErrorCode::out_of_range, "a comparison has no row with that index",
                {.expected = "below " + std::to_string(size()), .found = std::to_string(index)});
  return (*this)[index];
}

Verdict ComparisonRows::verdict(std::size_t index) const noexcept { return store_->verdict(index); }

namespace comparing {

RowStore& RowStore::make_for(ComparisonRows& rows) {
  rows.store_ = std::make_shared<RowStore>();
  return *rows.store_;
}

const RowStore::Stretch& RowStore::stretch_of(std::size_t index) const noexcept {
  return *std::prev(std::ranges::upper_bound(stretches_, index, {}, &Stretch::begin));
}

void RowStore::extend(bool is_compact, std::size_t first, std::size_t count) {
  if (stretches_.empty() || stretches_.back().is_compact != is_compact)
    stretches_.push_back({size_, first, is_compact});
  size_ += count;
}

ComparisonRow& RowStore::add() {
  extend(false, whole_.size(), 1);
  return whole_.emplace_back();
}

void RowStore::take_back() noexcept {
  whole_.pop_back();
  if (stretches_.back().begin == --size_) stretches_.pop_back();
}

void RowStore::add_compact(std::size_t count) {
  extend(true, compact_.size, count);
  compact_.size += count;
}

std::size_t RowStore::compact_place(std::size_t index) const noexcept {
  const Stretch& stretch = stretch_of(index);
  return stretch.first + (index - stretch.begin);
}

std::size_t RowStore::place_of_compact(std::size_t row) const noexcept {
  const auto compact_before = [this](std::size_t index) {
    if (index == size_) return compact_.size;
    const Stretch& stretch = stretch_of(index);
    const std::size_t place = stretch.first + (index - stretch.begin);
    return stretch.is_compact ? place : index - place;
  };
  std::size_t low = 0;
  for (std::size_t high = size_; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (compact_before(middle + 1) > row) high = middle;
    else low = middle + 1;
  }
  return low;
}

const ComparisonRow* RowStore::whole_or_null(std::size_t index) const noexcept {
  const Stretch& stretch = stretch_of(index);
  const std::size_t place = stretch.first + (index - stretch.begin);
  if (!stretch.is_compact) return &whole_[place];
  const auto made = made_whole_.find(place);
  return made == made_whole_.end() ? nullptr : &made->second;
}

ComparisonRow& RowStore::whole(std::size_t index) {
  if (const ComparisonRow* const there = whole_or_null(index))
    return const_cast<ComparisonRow&>(*there);
  return made_whole_.emplace(compact_place(index), row(index)).first->second;
}

bool RowStore::is_kept_compact(std::size_t index) const noexcept {
  return whole_or_null(index) == nullptr;
}

RowStore::CompactRun RowStore::compact_run(std::size_t index) const noexcept {
  const auto stretch = std::prev(std::ranges::upper_bound(stretches_, index, {}, &Stretch::begin));
  if (!stretch->is_compact) return {index, index, 0};
  const std::size_t first = stretch->first + (index - stretch->begin);
  const auto next = std::next(stretch);
  const std::size_t end = next == stretches_.end() ? size_ : next->begin;
  const auto whole = made_whole_.lower_bound(first);
  if (whole == made_whole_.end()) return {index, end, first};
  return {index, std::min(end, index + (whole->first - first)), first};
}

Verdict RowStore::verdict(std::size_t index) const noexcept {
  if (const ComparisonRow* const there = whole_or_null(index)) return there->verdict;
  return compact_.rows[compact_place(index)].verdict;
}

std::size_t RowStore::differences() const noexcept {
  std::size_t count = 0;
  const auto look = [&](Verdict found) { count += std::size_t{is_difference(found)}; };
  visit([&](std::size_t, const ComparisonRow& row) { look(row.verdict); },
        [&](std::size_t, std::size_t place) { look(compact_.rows[place].verdict); });
  return count;
}

ComparisonRow RowStore::row(std::size_t index) const {
  if (const ComparisonRow* const there = whole_or_null(index)) return *there;
  const std::size_t place = compact_place(index);
  ComparisonRow row = compact_.make(place);
  const TracedError traced = compact_.traced(place);
  const double input_error = traced.input_row ? record_error(*this, *traced.input_row).error : 0;
  set_origin_of(
      row, traced,
      {.error = compact_.error_of(place), .input = input_error, .least = facts(index).least});
  return row;
}

const ComparisonRow& RowStore::kept(std::size_t index) const {
  if (const ComparisonRow* const there = whole_or_null(index)) return *there;
  const std::lock_guard lock(mutex_);
  auto found = kept_.find(index);
  if (found == kept_.end()) found = kept_.emplace(index, row(index)).first;
  return found->second;
}

std::optional<std::size_t> RowStore::first_divergence() const noexcept {
  // A node that only one side has makes containers differ in size, and is more informative.
  std::optional<std::size_t> lone;
  std::optional<std::size_t> size;
  for (std::size_t i = 0; i < size_;) {
    const CompactRun run = compact_run(i);
    for (; i < run.end; ++i)
      if (is_difference(compact_.rows[run.first + (i - run.begin)].verdict)) return i;
    if (run.end != run.begin) continue;
    const Verdict found = verdict(i);
    if (found == Verdict::size) size = size.value_or(i);
    else if (is_lone(found)) lone = lone.value_or(i);
    else if (is_difference(found)) return i;
    ++i;
  }
  return lone ? lone : size;
}

RowFacts RowStore::facts(std::size_t index) const {
  if (const ComparisonRow* const row = whole_or_null(index))
    return {.name = row->record->name,
            .step = row->record->step,
            .sequence = row->record->sequence,
            .verdict = row->verdict,
            .error = error_of(*row),
            .least = least_error(*row),
            .shape = row->metrics || row->statistics ? &row->shape : nullptr};
  const std::size_t place = compact_place(index);
  const CompactRow& row = compact_.rows[place];
  const CompactKind& kind = compact_.kinds[row.kind];
  const CompactRows::Place record = compact_.place_of(place);
  return {.name = kind.path,
          .step = record.columns->step[record.record],
          .sequence = record.columns->sequence[record.record],
          .verdict = row.verdict,
          .error = compact_.error_of(place),
          .least = compact_.least_error_of(place, kind),
          .shape = &kind.shape};
}

}  // namespace comparing

}  // namespace safestructures::inline v0
