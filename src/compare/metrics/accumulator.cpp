#include "compare/metrics/accumulator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "compare/kernels/row_kernels.hpp"
#include "data/bounded.hpp"

namespace safestructures::inline v0::comparing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
// The squares of numbers outside this range leave the range of a double.
constexpr double largest_fast = 0x1p+480;
constexpr double smallest_fast = 0x1p-480;
// More than a quotient can lose by rounding.
constexpr double almost = 1 - 0x1p-50;

std::uint64_t apart(std::int64_t a, std::int64_t b) {
  return a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
               : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
}

template <class Sum>
Sums sums_of(const Block& block) {
  Sum errors = 0, absolute = 0, squares = 0, a_squares = 0, b_squares = 0, difference = 0;
  for (std::size_t i = 0; i < block.count; ++i) {
    const auto a = static_cast<Sum>(block.a[i]);
    const auto b = static_cast<Sum>(block.b[i]);
    // Beyond the largest double only the wide type can hold it.
    const Sum error =
        std::abs(block.difference[i]) < largest ? static_cast<Sum>(block.difference[i]) : a - b;
    errors += error;
    absolute += std::abs(error);
    squares += error * error;
    a_squares += a * a;
    b_squares += b * b;
    difference += error * (a + b);
  }
  using Wide = Sums::Wide;
  return {static_cast<Wide>(errors),    static_cast<Wide>(absolute),
          static_cast<Wide>(squares),   static_cast<Wide>(a_squares),
          static_cast<Wide>(b_squares), static_cast<Wide>(difference)};
}

}  // namespace

void Accumulator::note_worst(double ratio, double absolute, std::uint64_t index) {
  if (worst_index_ != nowhere) {
    if (ratio < worst_ratio_) return;
    if (ratio == worst_ratio_ && absolute < worst_absolute_) return;
    if (ratio == worst_ratio_ && absolute == worst_absolute_ && index > worst_index_) return;
  }
  worst_ratio_ = ratio;
  worst_absolute_ = absolute;
  worst_index_ = index;
}

void Accumulator::take(const NonFinite& found, std::uint64_t first) {
  comparing::add(found.counts, non_finite_);
  beyond_ += found.counts.differing();
  if (found.first_differing != NonFinite::nowhere)
    note_worst(infinity, infinity, first + found.first_differing);
}

std::size_t Accumulator::take_non_finite(const Block& block) {
  const NonFinite found = remove_non_finite(block.a.first(block.count), block.b.first(block.count));
  // The difference of what was removed is NaN or infinite.
  for (std::size_t i = 0; i < block.count; ++i)
    if (block.a[i] == 0 && block.b[i] == 0) block.difference[i] = block.reference[i] = 0;
  take(found, block.first);
  return found.pairs;
}

Accumulator::Room& Accumulator::room() {
  if (!room_) room_ = std::make_unique_for_overwrite<Room>();
  return *room_;
}

void Accumulator::take_difference(const Block& block, std::size_t i) {
  const double reference = block.reference[i];
  double error = std::abs(block.difference[i]);
  double allowed = tolerance_.atol + tolerance_.rtol * reference;
  double ratio = allowed > 0 ? error / allowed : infinity;
  bool is_beyond = error > allowed;
  double relative = 0;
  if (!std::isfinite(error) || !std::isfinite(allowed)) {
    using Wide = Sums::Wide;
    const Wide whole = std::abs(static_cast<Wide>(block.a[i]) - static_cast<Wide>(block.b[i]));
    const Wide all_allowed = static_cast<Wide>(tolerance_.atol) +
                             static_cast<Wide>(tolerance_.rtol) * static_cast<Wide>(reference);
    error = detail::bounded(whole);
    ratio = all_allowed > 0 ? detail::bounded(whole / all_allowed) : infinity;
    is_beyond = whole > all_allowed;
    relative = detail::bounded(whole / static_cast<Wide>(reference));
  }
  ++differing_;
  max_absolute_ = std::max(max_absolute_, error);
  room().scales.take(error, reference, relative);
  max_ratio_ = std::max(max_ratio_, ratio);
  if (is_beyond) ++beyond_;
  note_worst(ratio, error, block.first + i);
  if (!grid_) return;
  const std::uint64_t steps = apart(grid_->place(block.a[i]), grid_->place(block.b[i]));
  max_ulp_ = std::max(max_ulp_, steps);
  ++ulps_[static_cast<std::size_t>(std::bit_width(steps))];
}

Sums Accumulator::add(const Block& block) {
  const BlockKernels& kernels = block_kernels();
  std::size_t count = block.count;
  if (!block.is_narrow) {
    Range range = kernels.range(block);
    if (!range.is_finite) {
      count -= take_non_finite(block);
      range = kernels.range(block);
    }
    // A difference may be infinite if no number is.
    if (!range.is_finite || range.most > largest_fast || range.least < smallest_fast)
      return add_one_by_one(block, count);
  }
  BlockSums sums = kernels.sums(block);
  if (!std::isfinite(sums.a_squares + sums.b_squares)) {
    count -= take_non_finite(block);
    sums = kernels.sums(block);
  }
  compared_ += count;
  largest_b_ = std::max(largest_b_, sums.largest_b);
  max_absolute_ = std::max(max_absolute_, sums.largest_difference);
  if (sums.largest_difference > 0) take_differences(block);
  return sums_of(sums);
}

std::optional<Sums> Accumulator::add_equal(std::span<const double> numbers, std::size_t count) {
  return add_equal(block_kernels().squares(numbers), count);
}

std::optional<Sums> Accumulator::add_equal(const FloatBlock& numbers, std::size_t count) {
  return add_equal(row_kernels().squares(numbers), count);
}

std::optional<Sums> Accumulator::add_equal(const BlockSquares& squares, std::size_t count) {
  if (!std::isfinite(squares.sum)) return std::nullopt;
  compared_ += count;
  largest_b_ = std::max(largest_b_, squares.largest);
  return Sums{.a_squares = squares.sum, .b_squares = squares.sum};
}

bool Accumulator::steps_at_once(const Block& block) {
  const BlockKernels& kernels = block_kernels();
  std::uint64_t* const steps = room().steps.data();
  switch (grid_->dtype) {
    case DType::F32: kernels.float_steps(block, steps); return true;
    case DType::BF16: return kernels.bfloat16_steps(block, steps);
    case DType::F16: return kernels.half_steps(block, steps);
    default: return false;
  }
}

void Accumulator::take_differences(const Block& block) {
  const BlockKernels& kernels = block_kernels();
  Room& room = this->room();
  const BlockVerdict verdict = kernels.judge(block, tolerance_, max_ratio_ * almost);
  differing_ += verdict.differing;
  beyond_ += verdict.beyond;
  // Most blocks hold nothing new, because what is looked for is rare.
  if (verdict.is_near || !std::isfinite(max_ratio_)) {
    const double max_ratio = kernels.ratios(block, tolerance_, room.ratios.data());
    max_ratio_ = std::max(max_ratio_, max_ratio);
    // Search in groups, which need no branch for each number.
    for (std::size_t first = 0; first < block.a.size(); first += lanes) {
      const auto group = std::span(room.ratios).subspan(first).first<lanes>();
      unsigned found = 0;
      for (const double ratio : group) found |= ratio == max_ratio ? 1U : 0U;
      for (std::size_t i = first; found != 0 && i < std::min(first + lanes, block.count); ++i)
        if (room.ratios[i] == max_ratio && block.difference[i] != 0)
          note_worst(max_ratio, std::abs(block.difference[i]), block.first + i);
    }
  }
  for (std::size_t i = 0; i < block.count; ++i)
    room.scales.take(std::abs(block.difference[i]), block.reference[i]);
  if (!grid_) return;
  if (steps_at_once(block)) {
    max_ulp_ = std::max(max_ulp_, kernels.widths(room.steps.data(), block.a.size()));
  } else {
    for (std::size_t i = 0; i < block.count; ++i) {
      const std::uint64_t steps = apart(grid_->place(block.a[i]), grid_->place(block.b[i]));
      max_ulp_ = std::max(max_ulp_, steps);
      room.steps[i] = static_cast<std::uint64_t>(std::bit_width(steps));
    }
  }
  // Four tables, because neighbours often differ by as much and would wait for each other.
  std::array<std::array<std::uint32_t, 65>, 4> counts{};
  for (std::size_t i = 0; i < block.count; ++i)
    ++counts[i % 4][static_cast<std::size_t>(room.steps[i])];
  for (const auto& table : counts)
    for (std::size_t bits = 0; bits < ulps_.size(); ++bits) ulps_[bits] += table[bits];
}

Sums Accumulator::add_one_by_one(const Block& block, std::size_t count) {
  compared_ += count;
  double most = 0;
  double least = infinity;
  for (std::size_t i = 0; i < block.count; ++i) {
    if (block.difference[i] != 0) take_difference(block, i);
    const double b = std::abs(block.b[i]);
    largest_b_ = std::max(largest_b_, b);
    for (const double value : {std::abs(block.a[i]), b, std::abs(block.difference[i])}) {
      most = std::max(most, value);
      if (value != 0) least = std::min(least, value);
    }
  }
  if (most <= largest_fast && least >= smallest_fast) return sums_of<double>(block);
  return sums_of<Sums::Wide>(block);
}

void Accumulator::take_group(const FloatBlock& block, std::size_t begin, std::uint64_t first) {
  for (std::size_t i = begin; i < begin + lanes; ++i) {
    const double b = float_at(block.b, i);
    const double reference = std::abs(b);
    const double error = std::abs(float_at(block.a, i) - b);
    if (error == 0) continue;
    watched_->take(error, reference);
    const double allowed = reference * tolerance_.rtol + tolerance_.atol;
    if (error < allowed * (max_ratio_ * almost)) continue;
    const double ratio = error / allowed;
    if (ratio < max_ratio_) continue;
    max_ratio_ = ratio;
    note_worst(ratio, error, first + i);
  }
}

std::optional<Sums> Accumulator::add_floats(const FloatBlock& block,
                                            const std::optional<WordBlock>& words,
                                            std::size_t count, std::uint64_t first) {
  const FloatKernels& kernels = float_kernels();
  const FloatWatch watch = watched_->watch(tolerance_, max_ratio_ * almost);
  const FloatSums sums = kernels.sums(block, watch);
  if (!std::isfinite(sums.a_squares + sums.b_squares)) return std::nullopt;
  const FloatSteps steps = words ? word_steps(grid_->dtype, *words, watched_->widths())
                                 : kernels.steps(grid_->dtype, block, watched_->widths());
  if (!steps.is_exact) return std::nullopt;
  compared_ += count;
  differing_ += steps.differing;
  beyond_ += sums.beyond;
  largest_b_ = std::max(largest_b_, static_cast<double>(steps.largest_b));
  max_absolute_ = std::max(max_absolute_, sums.largest_difference);
  max_ulp_ = std::max<std::uint64_t>(max_ulp_, steps.most);
  for (std::size_t run = 0; run * run_size < block.count; ++run) {
    // No ratio exceeds an infinite one, so watching finds nothing, yet any ratio may be as large.
    const bool is_any = steps.differing != 0 && !std::isfinite(max_ratio_);
    if (!is_any && !sums.is_watched[run]) continue;
    // Where numbers repeat, as quantized ones do, so does the worst: a run in four had one. In the
    // first block all runs are watched, until one sets the limits.
    const std::uint32_t groups =
        is_any ? ~0U
               : kernels.watched_in(block, watched_->watch(tolerance_, max_ratio_ * almost), run);
    const std::size_t end = std::min(block.count, (run + 1) * run_size);
    for (std::size_t group = run * run_size, bit = 0; group < end; group += lanes, ++bit)
      if ((groups >> bit & 1U) != 0) take_group(block, group, first);
  }
  watched_->take(steps);
  return sums_of(sums);
}

void Accumulator::merge(const Accumulator& other) {
  compared_ += other.compared_;
  differing_ += other.differing_;
  beyond_ += other.beyond_;
  comparing::add(other.non_finite_, non_finite_);
  max_absolute_ = std::max(max_absolute_, other.max_absolute_);
  max_ratio_ = std::max(max_ratio_, other.max_ratio_);
  largest_b_ = std::max(largest_b_, other.largest_b_);
  max_ulp_ = std::max(max_ulp_, other.max_ulp_);
  for (std::size_t i = 0; i < ulps_.size(); ++i) ulps_[i] += other.ulps_[i];
  if (other.worst_index_ != nowhere)
    note_worst(other.worst_ratio_, other.worst_absolute_, other.worst_index_);
  if (watched_ && other.watched_) watched_->merge(*other.watched_);
  else if (other.watched_) watched_ = other.watched_;
  if (other.room_) room().scales.merge(other.room_->scales);
}

std::optional<double> Accumulator::max_relative(const Sums& sums) const {
  const int floor = floor_exponent_of(sums.b_squares / static_cast<Sums::Wide>(compared_));
  std::optional<double> found = 0;
  if (watched_) found = watched_->relative(floor);
  if (found && room_) *found = std::max(*found, room_->scales.relative(floor));
  return found;
}

std::optional<unsigned> Accumulator::common_bits() const {
  // Equal numbers are 0 steps apart and not in the table.
  const std::uint64_t allowed = compared_ / 100;
  const auto most = static_cast<unsigned>(std::bit_width(max_ulp_));
  std::uint64_t above = 0;
  bool is_known = true;
  for (unsigned bits = most; bits > 0; --bits) {
    above += ulps_[bits];
    const auto watched = watched_ ? watched_->at_least(bits) : std::optional<std::uint64_t>(0);
    if (watched && above + *watched > allowed) return is_known ? std::optional(bits) : std::nullopt;
    // The next width is certain only if this one is known not to exceed what is allowed.
    is_known = watched.has_value();
  }
  return is_known ? std::optional(0U) : std::nullopt;
}

bool Accumulator::is_certain(const Sums& sums) const {
  if (!watched_ || differing_ == 0) return true;
  return (sums.b_squares == 0 || max_relative(sums)) && common_bits();
}

std::optional<std::uint64_t> Accumulator::worst() const {
  if (worst_index_ == nowhere) return std::nullopt;
  return worst_index_;
}

Totals Accumulator::result(const Sums& sums, std::uint64_t count) const {
  Totals found{.tolerance = tolerance_,
               .grid = grid_,
               .sums = sums,
               .count = count,
               .compared = compared_,
               .differing = differing_,
               .beyond = beyond_,
               .non_finite = non_finite_,
               .max_absolute = max_absolute_,
               .max_ratio = max_ratio_,
               .largest_b = largest_b_,
               .max_ulp = max_ulp_};
  if (differing_ != 0 && sums.b_squares != 0) found.max_relative = max_relative(sums).value();
  if (grid_ && compared_ != 0) found.common_bits = common_bits().value();
  return found;
}

}  // namespace safestructures::inline v0::comparing
