#include "tools/log_buckets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace safestructures::inline v0::detail {
namespace {

constexpr unsigned mantissa_bits = 5;
constexpr unsigned key_shift = 52U - mantissa_bits;
constexpr std::uint32_t keys_of_binade = 1U << mantissa_bits;
constexpr std::size_t block_size = 512;

std::uint32_t key_of(double magnitude) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(magnitude) >> key_shift);
}

double first_of(std::size_t key) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(key) << key_shift);
}

}  // namespace

/// The numbers of one bucket, between these two.
struct LogBuckets::Run {
  double low;
  double high;
  std::uint64_t count;
};

std::uint64_t LogBuckets::positives(std::size_t slot) const {
  return counts_[slot] + counts_[2 * slots_ + slot];
}

std::uint64_t LogBuckets::negatives(std::size_t slot) const { return positives(slots_ + slot); }

/// Makes room for whole binades, so that few blocks need more than those before.
void LogBuckets::reach(double smallest, double largest) {
  const std::uint32_t first = key_of(smallest) / keys_of_binade * keys_of_binade;
  const std::uint32_t end = (key_of(largest) / keys_of_binade + 1) * keys_of_binade;
  std::uint32_t base = first == 0 ? 0 : first - 1;
  std::size_t slots = end - base;
  if (slots_ > 1) {
    base = std::min(base, base_);
    slots = std::max<std::size_t>(end, base_ + slots_) - base;
  }
  if (base == base_ && slots == slots_) return;
  std::vector<std::uint64_t> counts(4 * slots);
  for (std::size_t part = 0; part < 4; ++part) {
    const auto from = counts_.begin() + static_cast<std::ptrdiff_t>(part * slots_);
    const auto to = counts.begin() + static_cast<std::ptrdiff_t>(part * slots);
    *to = *from;
    if (slots_ > 1)
      std::copy(from + 1, from + static_cast<std::ptrdiff_t>(slots_), to + 1 + (base_ - base));
  }
  counts_ = std::move(counts);
  base_ = base;
  slots_ = slots;
}

void LogBuckets::add(std::span<const double> values, double smallest, double largest) {
  if (largest > 0) reach(smallest, largest);
  for (std::size_t at = 0; at < values.size(); at += block_size)
    add_block(values.subspan(at, std::min(block_size, values.size() - at)));
}

void LogBuckets::add_block(std::span<const double> values) {
  std::array<std::uint32_t, block_size> slots;
  const auto base = static_cast<std::int32_t>(base_);
  const auto negative = static_cast<std::int32_t>(slots_);
  // Separate from the counting, and without a branch for zeros, so that compilers vectorise it.
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = static_cast<std::int32_t>(std::bit_cast<std::int64_t>(values[i]) >> 32U);
    const std::int32_t over = ((bits & 0x7FFF'FFFF) >> (key_shift - 32U)) - base;
    slots[i] = static_cast<std::uint32_t>((over & ~(over >> 31)) + ((bits >> 31) & negative));
  }
  // Neighbours are often alike: with two tables, one count need not wait for the other.
  std::uint64_t* const even = counts_.data();
  std::uint64_t* const odd = even + 2 * slots_;
  std::size_t i = 0;
  for (; i + 2 <= values.size(); i += 2) {
    ++even[slots[i]];
    ++odd[slots[i + 1]];
  }
  if (i < values.size()) ++even[slots[i]];
}

void LogBuckets::fill(TensorStatistics& found, std::uint64_t negative_zeros) const {
  fill_bins(found, negative_zeros);
  fill_quantiles(found);
}

void LogBuckets::fill_bins(TensorStatistics& found, std::uint64_t negative_zeros) const {
  const auto bin_of = [](std::size_t key) {
    constexpr int bias = 1023;
    constexpr int first = TensorStatistics::first_exponent;
    constexpr int last = first + static_cast<int>(TensorStatistics::bins) - 1;
    const int exponent = static_cast<int>(key / keys_of_binade) - bias;
    return static_cast<std::size_t>(std::clamp(exponent, first, last) - first);
  };
  for (std::size_t slot = 0; slot < slots_;) {
    const std::size_t key = base_ + slot;
    const std::size_t end = std::min(slots_, slot + keys_of_binade - key % keys_of_binade);
    std::uint64_t negative = 0;
    std::uint64_t positive = 0;
    for (; slot < end; ++slot) {
      negative += negatives(slot);
      positive += positives(slot);
    }
    found.negative[bin_of(key)] += negative;
    found.positive[bin_of(key)] += positive;
  }
  // Zeros have no magnitude, but slot 0 may hold other numbers as well.
  found.negative[bin_of(base_)] -= negative_zeros;
  found.positive[bin_of(base_)] -= found.zeros - negative_zeros;
}

/// Returns all numbers but NaN, in order.
std::vector<LogBuckets::Run> LogBuckets::runs(const TensorStatistics& found) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Run> made;
  made.reserve(2 * slots_ + 1);
  made.push_back({-infinity, -infinity, found.negative_infinities});
  const auto add = [&](double low, double high, std::uint64_t count) {
    if (count != 0) made.push_back({std::max(low, found.min), std::min(high, found.max), count});
  };
  for (std::size_t slot = slots_ - 1; slot > 0; --slot)
    add(-first_of(base_ + slot + 1), -first_of(base_ + slot), negatives(slot));
  if (const std::uint64_t zeros = negatives(0) + positives(0); zeros != 0)
    made.push_back({0, 0, zeros});
  for (std::size_t slot = 1; slot < slots_; ++slot)
    add(first_of(base_ + slot), first_of(base_ + slot + 1), positives(slot));
  made.push_back({infinity, infinity, found.positive_infinities});
  return made;
}

void LogBuckets::fill_quantiles(TensorStatistics& found) const {
  const std::uint64_t numbers = found.count - found.nan;
  if (numbers == 0) return;
  const std::vector<Run> all = runs(found);
  auto run = all.begin();
  std::uint64_t before = 0;
  found.quantiles.emplace();
  for (std::size_t i = 0; i < TensorStatistics::probabilities.size(); ++i) {
    const double place =
        std::floor(TensorStatistics::probabilities[i] * static_cast<double>(numbers - 1));
    const auto index = static_cast<std::uint64_t>(place);
    while (index >= before + run->count) before += (run++)->count;
    const double share =
        (static_cast<double>(index - before) + 0.5) / static_cast<double>(run->count);
    (*found.quantiles)[i] =
        run->low == run->high ? run->low : run->low + (run->high - run->low) * share;
  }
}

}  // namespace safestructures::inline v0::detail
