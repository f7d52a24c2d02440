#include "compare/small/row_bytes.hpp"

#include <algorithm>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::comparing {
namespace {

// Gaps between ranges up to this size are read too, since another request takes longer.
constexpr std::uint64_t largest_gap = 4096;

/// Returns null if a tensor is in memory.
const detail::DeferredBytes* promise_of(const Tensor& tensor) {
  return tensor.is_loaded() ? nullptr : detail::DeferredBytes::of(tensor);
}

}  // namespace

void RowBytes::clear() {
  places_.clear();
  ranges_.clear();
  last_ = 0;
}

void RowBytes::find_range(const Tensor& rows, std::uint64_t row, std::size_t size) {
  const bool is_whole = size == rows.byte_size();
  // Layers follow each other in the same order in every step.
  for (std::size_t tried = 0; !is_whole && tried < ranges_.size(); ++tried) {
    last_ = last_ + 1 == ranges_.size() ? 0 : last_ + 1;
    if (ranges_[last_].rows == &rows) return;
  }
  last_ = ranges_.size();
  ranges_.push_back(
      {.rows = &rows, .promise = promise_of(rows), .first = row, .last = row, .size = size});
}

void RowBytes::read() {
  rows_.resize(places_.size());
  // The bytes between the rows of a range would be read for nothing, and take unbounded memory.
  if (std::ranges::any_of(ranges_, [](const Range& range) {
        return range.promise != nullptr && range.last - range.first >= 2 * range.count;
      }))
    return read_alone();
  read_ranges();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Range& range = ranges_[places_[i].range];
    rows_[i] = range.bytes + static_cast<std::size_t>(places_[i].row - range.first) * range.size;
  }
}

std::byte* RowBytes::room_for(std::size_t size) {
  if (size > room_size_) {
    room_ = std::make_unique_for_overwrite<std::byte[]>(size);
    room_size_ = size;
  }
  return room_.get();
}

void RowBytes::read_ranges() {
  extents_.clear();
  std::size_t used = 0;
  for (Range& range : ranges_) {
    if (range.promise == nullptr) {
      range.bytes = range.rows->bytes().data() + range.begin();
      continue;
    }
    const Source* const source = &range.promise->source();
    const std::uint64_t begin = range.promise->offset() + range.begin();
    const bool is_next = !extents_.empty() && extents_.back().source == source &&
                         begin >= extents_.back().end && begin - extents_.back().end <= largest_gap;
    if (!is_next) extents_.push_back({source, begin, begin, {&range, 0}});
    Extent& extent = extents_.back();
    extent.ranges = {extent.ranges.data(), &range + 1};
    range.place = used + static_cast<std::size_t>(begin - extent.end);
    used = range.place + range.bytes_in_all();
    extent.end = begin + range.bytes_in_all();
  }
  std::byte* const room = room_for(used);
  for (Range& range : ranges_)
    if (range.promise != nullptr) range.bytes = room + range.place;
  for (const Extent& extent : extents_) read(extent);
}

void RowBytes::read(const Extent& extent) {
  const std::size_t place = extent.ranges.front().place;
  try {
    extent.source->read(extent.begin,
                        {room_.get() + place, static_cast<std::size_t>(extent.end - extent.begin)});
  } catch (const Error&) {
    // Reading one by one finds the tensor that fails.
    for (const Range& range : extent.ranges)
      if (range.promise != nullptr)
        range.promise->read(range.begin(), {room_.get() + range.place, range.bytes_in_all()});
  }
}

void RowBytes::read_alone() {
  std::size_t size = 0;
  for (const Place& place : places_) size += ranges_[place.range].size;
  std::byte* into = room_for(size);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Range& range = ranges_[places_[i].range];
    const std::uint64_t begin = places_[i].row * range.size;
    if (range.promise != nullptr) {
      range.promise->read(begin, {into, range.size});
      rows_[i] = into;
      into += range.size;
    } else {
      rows_[i] = range.rows->bytes().data() + begin;
    }
  }
}

}  // namespace safestructures::inline v0::comparing
