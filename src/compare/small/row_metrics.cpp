#include "compare/small/row_metrics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include <safestructures/data/convert.hpp>
#include "compare/metrics/angle.hpp"
#include "compare/metrics/unmasked.hpp"
#include "compare/metrics/watched.hpp"

namespace safestructures::inline v0::comparing {
namespace {

std::size_t in_lanes(std::size_t count) { return (count + lanes - 1) / lanes * lanes; }

/// Returns numbers as floats padded with zeros: in place, or copied to `room`.
const std::byte* floats_of(std::span<const std::byte> bytes, DType dtype, std::size_t count,
                           std::span<float> room) {
  if (dtype == DType::F32 && count % lanes == 0) return bytes.data();
  const std::span<std::byte> into = std::as_writable_bytes(room.first(count));
  if (dtype == DType::F32) std::memcpy(into.data(), bytes.data(), into.size());
  else convert_elements(dtype, bytes, DType::F32, into, count, Overflow::allow);
  for (std::size_t i = count; i < in_lanes(count); ++i) room[i] = 0;
  return std::as_bytes(room).data();
}

/// \param exponent of a normal number
double power_of_two(int exponent) {
  constexpr int bias = std::numeric_limits<double>::max_exponent - 1;
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + bias) << 52U);
}

FloatSteps steps_of(const FloatBlock& block, const std::optional<WordBlock>& words, DType grid,
                    const StepWidths& widths) {
  return words ? word_steps(grid, *words, widths) : float_kernels().steps(grid, block, widths);
}

/// For so few numbers that only the largest steps matter.
RowSteps steps_of(const FloatBlock& block, const std::optional<WordBlock>& words, DType grid) {
  if (words) {
    constexpr StepWidths none = {33, 33, 33, 33, 33, 33, 33, 33, 33};
    const FloatSteps steps = word_steps(grid, *words, none);
    return {steps.most, steps.is_exact};
  }
  const RowKernels& kernels = row_kernels();
  switch (grid) {
    case DType::BF16: return kernels.bfloat16_steps(block);
    case DType::F16: return kernels.half_steps(block);
    default: return kernels.float_steps(block);
  }
}

/// Returns widths next to a guess, and some further away.
StepWidths widths_near(unsigned bits) {
  StepWidths widths = {9, 17, 25, 31, bits - 1, bits, bits + 1, bits + 2, bits + 3};
  for (unsigned& width : widths) width = std::clamp(width, 2U, 33U);
  return widths;
}

/// Returns the widths above `least`, up to `most`: all of them, or evenly spread ones.
StepWidths widths_between(unsigned least, unsigned most) {
  StepWidths widths;
  const auto count = static_cast<unsigned>(widths.size());
  const unsigned step = std::max((most - least + count - 1) / count, 1U);
  for (unsigned k = 0; k < count; ++k) widths[k] = std::clamp(least + 1 + k * step, 2U, 33U);
  return widths;
}

/// Returns the part of a block that begins at `first` and has at most `count` numbers.
FloatBlock part_of(const FloatBlock& all, std::size_t first, std::size_t count) {
  const std::size_t skipped = first * sizeof(float);
  return {.count = std::min(count, all.count - first),
          .a = all.a + skipped,
          .b = all.b == nullptr ? nullptr : all.b + skipped};
}

}  // namespace

RowMetrics::Total RowMetrics::sum_block(const FloatBlock& block, const Tolerance& tolerance) {
  const RowKernels& kernels = row_kernels();
  Total total{kernels.sums(block, tolerance, ratios_.data())};
  if (total.differing != 0) total.worst = kernels.worst(block, ratios_.data(), total.max_ratio);
  return total;
}

RowMetrics::Total RowMetrics::sum(const FloatBlock& all, const Tolerance& tolerance) {
  // For 64 numbers, wide sums would take a quarter of the time.
  if (all.count <= block_size) return sum_block(all, tolerance);
  Total total;
  Sums sums;
  double worst_error = 0;
  for (std::size_t first = 0; first < all.count; first += block_size) {
    const FloatBlock block = part_of(all, first, block_size);
    const Total found = sum_block(block, tolerance);
    sums += sums_of(found);
    total.differing += found.differing;
    total.beyond += found.beyond;
    total.largest_difference = std::max(total.largest_difference, found.largest_difference);
    total.largest_b = std::max(total.largest_b, found.largest_b);
    if (found.differing == 0 || found.max_ratio < total.max_ratio) continue;
    const double error = std::abs(float_at(block.a, found.worst) - float_at(block.b, found.worst));
    if (found.max_ratio == total.max_ratio && error <= worst_error) continue;
    total.max_ratio = found.max_ratio;
    total.worst = first + found.worst;
    worst_error = error;
  }
  total.errors = static_cast<double>(sums.errors);
  total.absolute = static_cast<double>(sums.absolute);
  total.squares = static_cast<double>(sums.squares);
  total.a_squares = static_cast<double>(sums.a_squares);
  total.b_squares = static_cast<double>(sums.b_squares);
  total.square_difference = static_cast<double>(sums.square_difference);
  return total;
}

double RowMetrics::squares_of(const FloatBlock& all) {
  const RowKernels& kernels = row_kernels();
  if (all.count <= block_size) return kernels.squares(all).sum;
  Sums::Wide squares = 0;
  for (std::size_t first = 0; first < all.count; first += block_size)
    squares += static_cast<Sums::Wide>(kernels.squares(part_of(all, first, block_size)).sum);
  return static_cast<double>(squares);
}

NonFinite RowMetrics::remove_non_finite(FloatBlock& all) {
  const auto copied = [&](const std::byte*& side, std::span<float> into) {
    const std::span<float> numbers = into.first(all.count);
    const std::span<std::byte> bytes = std::as_writable_bytes(numbers);
    if (side != bytes.data()) std::memcpy(bytes.data(), side, bytes.size());
    side = bytes.data();
    return numbers;
  };
  const std::span<float> a = copied(all.a, a_);
  return comparing::remove_non_finite(a, copied(all.b, b_));
}

RowMetrics::Found RowMetrics::measure(const std::byte* a, const std::byte* b,
                                      const CompactKind& kind, CompactRow& row,
                                      CompactMetrics& metrics) {
  FloatBlock all{.count = in_lanes(kind.count),
                 .a = floats_of({a, kind.size_a}, kind.dtype_a, kind.count, a_)};
  if (kind.dtype_a == kind.dtype_b && std::memcmp(a, b, kind.size_a) == 0) {
    row.verdict = Verdict::equal;
    row.measure = squares_of(all);
    if (std::isfinite(row.measure)) return Found::exact;
  }
  all.b = floats_of({b, kind.size_b}, kind.dtype_b, kind.count, b_);
  Total total = sum(all, kind.tolerance);
  NonFinite removed;
  if (!std::isfinite(total.a_squares + total.b_squares)) {
    removed = remove_non_finite(all);
    if (removed.counts.differing() != 0 || removed.pairs == kind.count) return Found::unusual;
    total = sum(all, kind.tolerance);
  }
  if (are_far_apart(static_cast<Sums::Wide>(total.a_squares),
                    static_cast<Sums::Wide>(total.b_squares)))
    return Found::unusual;
  if (total.beyond != 0 && kind.may_be_permuted) return Found::unusual;
  row.verdict = total.beyond != 0      ? Verdict::different
                : total.differing != 0 ? Verdict::close
                                       : Verdict::equal;
  row.measure = 0;
  metrics = {.errors = total.errors,
             .absolute = total.absolute,
             .squares = total.squares,
             .a_squares = total.a_squares,
             .b_squares = total.b_squares,
             .square_difference = total.square_difference,
             .max_absolute = total.largest_difference,
             .max_ratio = total.max_ratio,
             .max_relative = 0,
             .largest_b = total.largest_b,
             .worst_a = 0,
             .worst_b = 0,
             .max_ulp = 0,
             .common_bits = 0,
             .differing = static_cast<std::uint16_t>(total.differing),
             .beyond = static_cast<std::uint16_t>(total.beyond),
             .worst = static_cast<std::uint16_t>(total.worst),
             .nan_both = static_cast<std::uint16_t>(removed.counts.nan_both),
             .infinity_both = static_cast<std::uint16_t>(removed.counts.infinity_both)};
  if (total.differing == 0) return Found::inexact;
  metrics.worst_a = static_cast<float>(float_at(all.a, total.worst));
  metrics.worst_b = static_cast<float>(float_at(all.b, total.worst));
  row.measure = std::numeric_limits<double>::quiet_NaN();
  if (total.b_squares != 0) {
    row.measure = relative_l2_of(total.squares, total.b_squares);
    if (total.largest_b >= -most_filled)
      row.measure = std::max(row.measure, unmasked_l2(all).value_or(0));
    const int floor = floor_exponent_of(total.b_squares, metrics.compared(kind.count));
    metrics.max_relative = row_kernels().relative(all, power_of_two(floor));
  }
  std::optional<WordBlock> words;
  if (kind.has_words && removed.pairs == 0) words = {kind.count, a, b};
  return measure_steps(all, words, kind, metrics) ? Found::inexact : Found::unusual;
}

std::optional<Distance> RowMetrics::distance(const Numbers& a, const Numbers& b,
                                             std::size_t count) {
  const FloatBlock all{.count = in_lanes(count),
                       .a = floats_of(a.bytes, a.dtype, count, a_),
                       .b = floats_of(b.bytes, b.dtype, count, b_)};
  const Total total = sum(all, {});
  if (!std::isfinite(total.a_squares + total.b_squares)) return std::nullopt;
  Distance found{.max_absolute = total.largest_difference,
                 .rmse = rms_of(total.squares, count),
                 .relative_l2 = {}};
  if (total.differing == 0) found.relative_l2 = 0;
  else if (total.b_squares != 0) found.relative_l2 = relative_l2_of(total.squares, total.b_squares);
  return found;
}

bool RowMetrics::measure_steps(const FloatBlock& all, const std::optional<WordBlock>& words,
                               const CompactKind& kind, CompactMetrics& metrics) {
  const std::uint64_t allowed = metrics.compared(kind.count) / 100;
  if (allowed == 0) {
    const RowSteps steps = steps_of(all, words, kind.grid.dtype);
    metrics.max_ulp = steps.most;
    metrics.common_bits = static_cast<std::uint16_t>(std::bit_width(steps.most));
    return steps.is_exact;
  }
  // Consecutive tensors are mostly alike, so one pass is usually enough.
  StepWidths widths = widths_near(common_bits_);
  FloatSteps steps = steps_of(all, words, kind.grid.dtype, widths);
  metrics.max_ulp = steps.most;
  // More numbers than are allowed differ by `least` bits or more, but not by more than `highest`.
  unsigned least = metrics.differing > allowed ? 1 : 0;
  unsigned highest = least == 0 ? 0 : static_cast<unsigned>(std::bit_width(steps.most));
  const bool is_exact = steps.is_exact;
  while (is_exact) {
    for (std::size_t k = 0; k < widths.size(); ++k) {
      if (steps.at_least[k] > allowed) least = std::max(least, widths[k]);
      else highest = std::min(highest, widths[k] - 1);
    }
    if (least >= highest) break;
    widths = widths_between(least, highest);
    steps = steps_of(all, words, kind.grid.dtype, widths);
  }
  common_bits_ = least;
  metrics.common_bits = static_cast<std::uint16_t>(least);
  return is_exact;
}

}  // namespace safestructures::inline v0::comparing
