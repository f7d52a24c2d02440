#include "compare/row_metrics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include <safestructures/data/convert.hpp>
#include "compare/watched.hpp"

namespace safestructures::inline v0::comparing {
namespace {

std::size_t in_lanes(std::size_t count) { return (count + lanes - 1) / lanes * lanes; }

std::size_t size_of(const CompactKind& kind, DType dtype) {
  return kind.count * bit_width(dtype) / 8;
}

/// Numbers as floats, filled up with zeros: where they stand, or in `room`.
const std::byte* floats_of(const std::byte* bytes, DType dtype, const CompactKind& kind,
                           std::span<float> room) {
  if (dtype == DType::F32 && kind.count % lanes == 0) return bytes;
  const std::span<std::byte> into = std::as_writable_bytes(room.first(kind.count));
  if (dtype == DType::F32) std::memcpy(into.data(), bytes, into.size());
  else convert(dtype, {bytes, size_of(kind, dtype)}, DType::F32, into, kind.count, Overflow::allow);
  for (std::size_t i = kind.count; i < in_lanes(kind.count); ++i) room[i] = 0;
  return std::as_bytes(room).data();
}

RowSteps steps_of(const FloatBlock& block, DType grid) {
  const RowKernels& kernels = row_kernels();
  switch (grid) {
    case DType::BF16: return kernels.bfloat16_steps(block);
    case DType::F16: return kernels.half_steps(block);
    default: return kernels.float_steps(block);
  }
}

/// How many numbers are apart by steps that take `bits` bits or more, or one bit more, and so on.
std::array<std::uint64_t, FloatSteps::widths> at_least(const FloatBlock& block, DType grid,
                                                       unsigned bits) {
  const FloatKernels& kernels = float_kernels();
  switch (grid) {
    case DType::BF16: return kernels.bfloat16_steps(block, bits).at_least;
    case DType::F16: return kernels.half_steps(block, bits).at_least;
    default: return kernels.float_steps(block, bits).at_least;
  }
}

/// The bits that the steps of 99 of 100 numbers take, at most.
unsigned common_bits(const FloatBlock& block, const CompactKind& kind, std::uint32_t most,
                     std::uint64_t differing) {
  const std::uint64_t allowed = kind.count / 100;
  auto bits = static_cast<unsigned>(std::bit_width(most));
  if (allowed == 0) return bits;
  constexpr auto widths = static_cast<unsigned>(FloatSteps::widths);
  while (bits > 1) {
    const unsigned least = std::max(bits, widths + 1) - widths + 1;
    const auto counts = at_least(block, kind.grid.dtype, least);
    for (; bits >= least; --bits)
      if (counts[bits - least] > allowed) return bits;
  }
  return differing > allowed ? 1 : 0;
}

}  // namespace

RowMetrics::Found RowMetrics::measure(const std::byte* a, const std::byte* b,
                                      const CompactKind& kind, CompactRow& row,
                                      CompactMetrics& metrics) {
  const RowKernels& kernels = row_kernels();
  FloatBlock block{.count = in_lanes(kind.count), .a = floats_of(a, kind.dtype_a, kind, a_)};
  if (kind.dtype_a == kind.dtype_b && std::memcmp(a, b, size_of(kind, kind.dtype_a)) == 0) {
    row.verdict = Verdict::equal;
    row.measure = kernels.squares(block).sum;
    return std::isfinite(row.measure) ? Found::exact : Found::unusual;
  }
  block.b = floats_of(b, kind.dtype_b, kind, b_);
  const RowSums sums = kernels.sums(block, kind.tolerance, numbers());
  if (!std::isfinite(sums.a_squares + sums.b_squares)) return Found::unusual;
  if (sums.beyond != 0 && kind.may_be_permuted) return Found::unusual;
  row.verdict = sums.beyond != 0      ? Verdict::different
                : sums.differing != 0 ? Verdict::close
                                      : Verdict::equal;
  row.measure = 0;
  metrics = {.errors = sums.errors,
             .absolute = sums.absolute,
             .squares = sums.squares,
             .a_squares = sums.a_squares,
             .b_squares = sums.b_squares,
             .square_difference = sums.square_difference,
             .max_absolute = sums.largest_difference,
             .max_ratio = sums.max_ratio,
             .max_relative = 0,
             .largest_b = sums.largest_b,
             .worst_a = 0,
             .worst_b = 0,
             .max_ulp = 0,
             .common_bits = 0,
             .differing = static_cast<std::uint16_t>(sums.differing),
             .beyond = static_cast<std::uint16_t>(sums.beyond),
             .worst = 0};
  if (sums.differing == 0) return Found::inexact;
  const std::size_t worst = kernels.worst(numbers(), block.count, sums.max_ratio);
  metrics.worst = static_cast<std::uint16_t>(worst);
  metrics.worst_a = static_cast<float>(float_at(block.a, worst));
  metrics.worst_b = static_cast<float>(float_at(block.b, worst));
  row.measure = std::numeric_limits<double>::quiet_NaN();
  if (sums.b_squares != 0) {
    const auto b_squares = static_cast<Sums::Wide>(sums.b_squares);
    row.measure = relative_l2_of(static_cast<Sums::Wide>(sums.squares), b_squares);
    const Sums::Wide mean = b_squares / static_cast<Sums::Wide>(kind.count);
    metrics.max_relative =
        kernels.relative(numbers(), block.count, std::ldexp(1.0, floor_exponent_of(mean)));
  }
  return measure_steps(block, kind, metrics) ? Found::inexact : Found::unusual;
}

bool RowMetrics::measure_steps(const FloatBlock& block, const CompactKind& kind,
                               CompactMetrics& metrics) {
  const RowSteps steps = steps_of(block, kind.grid.dtype);
  metrics.max_ulp = steps.most;
  metrics.common_bits =
      static_cast<std::uint16_t>(common_bits(block, kind, steps.most, metrics.differing));
  return steps.is_exact;
}

}  // namespace safestructures::inline v0::comparing
