#include "compare/row_bytes.hpp"

#include <algorithm>

#include "data/deferred.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Null where a tensor is in memory.
const detail::DeferredBytes* promise_of(const Tensor& tensor) {
  return tensor.is_loaded() ? nullptr : detail::DeferredBytes::of(tensor);
}

}  // namespace

std::size_t RowBytes::range_of(const RowPlace& place) {
  // Layers follow each other in the same order, step after step.
  for (std::size_t tried = 0; tried < ranges_.size(); ++tried) {
    if (ranges_[last_].rows == place.rows) return last_;
    last_ = last_ + 1 == ranges_.size() ? 0 : last_ + 1;
  }
  last_ = ranges_.size();
  ranges_.push_back(
      {.rows = place.rows, .first = place.row, .last = place.row, .size = place.size});
  return last_;
}

void RowBytes::read(std::span<const RowPlace> places) {
  ranges_.clear();
  last_ = 0;
  of_row_.resize(places.size());
  rows_.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t found = range_of(places[i]);
    Range& range = ranges_[found];
    range.first = std::min(range.first, places[i].row);
    range.last = std::max(range.last, places[i].row);
    ++range.count;
    of_row_[i] = static_cast<std::uint32_t>(found);
  }
  std::uint64_t size = 0;
  for (const Range& range : ranges_) {
    if (promise_of(*range.rows) == nullptr) continue;
    // What lies between them would be read for nothing, and take memory that nobody bounds.
    if (range.last - range.first >= 2 * range.count) return read_alone(places);
    size += (range.last - range.first + 1) * range.size;
  }
  room_.resize(std::max<std::size_t>(room_.size(), static_cast<std::size_t>(size)));
  std::byte* into = room_.data();
  for (Range& range : ranges_) {
    const auto offset = range.first * range.size;
    if (const detail::DeferredBytes* const promise = promise_of(*range.rows)) {
      const auto bytes = static_cast<std::size_t>(range.last - range.first + 1) * range.size;
      promise->read(offset, {into, bytes});
      range.bytes = into;
      into += bytes;
    } else {
      range.bytes = range.rows->bytes().data() + offset;
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Range& range = ranges_[of_row_[i]];
    rows_[i] = range.bytes + static_cast<std::size_t>(places[i].row - range.first) * range.size;
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
