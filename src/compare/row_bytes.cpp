#include "compare/row_bytes.hpp"

#include <algorithm>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::comparing {
namespace {

// What lies between two ranges is read with them up to here: a request takes longer.
constexpr std::uint64_t largest_gap = 4096;

/// Null where a tensor is in memory.
const detail::DeferredBytes* promise_of(const Tensor& tensor) {
  return tensor.is_loaded() ? nullptr : detail::DeferredBytes::of(tensor);
}

}  // namespace

std::size_t RowBytes::range_of(const RowPlace& place) {
  if (!ranges_.empty() && ranges_[last_].rows == place.rows) return last_;
  const bool is_whole = place.size == place.rows->byte_size();
  // Layers follow each other in the same order, step after step.
  for (std::size_t tried = 0; !is_whole && tried < ranges_.size(); ++tried) {
    if (ranges_[last_].rows == place.rows) return last_;
    last_ = last_ + 1 == ranges_.size() ? 0 : last_ + 1;
  }
  last_ = ranges_.size();
  ranges_.push_back({.rows = place.rows,
                     .promise = promise_of(*place.rows),
                     .first = place.row,
                     .last = place.row,
                     .size = place.size});
  return last_;
}

void RowBytes::find_ranges(std::span<const RowPlace> places) {
  ranges_.clear();
  last_ = 0;
  of_row_.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t found = range_of(places[i]);
    Range& range = ranges_[found];
    range.first = std::min(range.first, places[i].row);
    range.last = std::max(range.last, places[i].row);
    ++range.count;
    of_row_[i] = static_cast<std::uint32_t>(found);
  }
}

void RowBytes::read(std::span<const RowPlace> places) {
  find_ranges(places);
  rows_.resize(places.size());
  // What lies between the rows of a range would be read for nothing, and take memory that nobody
  // bounds.
  if (std::ranges::any_of(ranges_, [](const Range& range) {
        return range.promise != nullptr && range.last - range.first >= 2 * range.count;
      }))
    return read_alone(places);
  read_ranges();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Range& range = ranges_[of_row_[i]];
    rows_[i] = range.bytes + static_cast<std::size_t>(places[i].row - range.first) * range.size;
  }
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
  room_.resize(std::max(room_.size(), used));
  for (Range& range : ranges_)
    if (range.promise != nullptr) range.bytes = room_.data() + range.place;
  for (const Extent& extent : extents_) read(extent);
}

void RowBytes::read(const Extent& extent) {
  const std::size_t place = extent.ranges.front().place;
  try {
    extent.source->read(
        extent.begin,
        std::span(room_).subspan(place, static_cast<std::size_t>(extent.end - extent.begin)));
  } catch (const Error&) {
    // Which of the tensors it is that fails.
    for (const Range& range : extent.ranges)
      if (range.promise != nullptr)
        range.promise->read(range.begin(),
                            std::span(room_).subspan(range.place, range.bytes_in_all()));
  }
}

void RowBytes::read_alone(std::span<const RowPlace> places) {
  std::size_t size = 0;
  for (const RowPlace& place : places) size += place.size;
  room_.resize(std::max(room_.size(), size));
  std::byte* into = room_.data();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const RowPlace& place = places[i];
    if (const detail::DeferredBytes* const promise = promise_of(*place.rows)) {
      promise->read(place.row * place.size, {into, place.size});
      rows_[i] = into;
      into += place.size;
    } else {
      rows_[i] = place.rows->bytes().data() + place.row * place.size;
    }
  }
}

}  // namespace safestructures::inline v0::comparing
