// Compares rows of numbers: many small tensors at once, large ones each on all processors.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/error.hpp>
#include "compare/metrics/noise_floor.hpp"
#include "compare/metrics/tolerance.hpp"
#include "compare/metrics/transpose.hpp"
#include "compare/metrics/ulp.hpp"
#include "compare/metrics/unmasked.hpp"
#include "compare/pairs.hpp"
#include "platform/parallel.hpp"
#include "tools/doubles.hpp"

namespace safestructures::inline v0::comparing {
namespace {

// From this size on, a tensor is split among several threads.
constexpr std::uint64_t large = std::uint64_t{1} << 19U;
// The most numbers of small tensors compared at once, between two reports of progress.
constexpr std::uint64_t most_at_once = std::uint64_t{1} << 22U;
// The least work for a thread, in numbers; each tensor counts as some more.
constexpr std::uint64_t thread_share = std::uint64_t{1} << 15U;
constexpr std::uint64_t share_of_tensor = 512;

/// Returns a tensor whose parts are read repeatedly, loaded in one read.
/// \param room storage for a copy
const Tensor& at_hand(const Tensor* tensor, Tensor& room) {
  // Larger blocks are newly allocated each time.
  constexpr std::uint64_t most = std::uint64_t{1} << 17U;
  if (tensor->is_loaded() || tensor->byte_size() > most) return *tensor;
  return room = tensor->clone();
}

/// Whether all elements are numbers; called if something was found that may not be one.
bool can_be_read(const Tensor& tensor) {
  try {
    constexpr std::uint64_t block = 2048;
    detail::for_each_block_in_doubles(tensor, block,
                                      [](std::span<const double>, std::uint64_t, std::uint64_t) {});
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool has_fractions(DType dtype) { return is_floating(dtype) || dtype == DType::C64; }

}  // namespace

const ToleranceRule* Comparer::rule_of(const std::string& path, DType dtype) const {
  for (std::size_t i = 0; i < options_.tolerances.size(); ++i) {
    const ToleranceRule& rule = options_.tolerances[i];
    if (rule.dtype.value_or(dtype) != dtype || !matches(rule.paths, path)) continue;
    used_tolerances_.mark(i);
    return &rule;
  }
  return nullptr;
}

std::vector<std::string> Comparer::unused_tolerances() const {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < options_.tolerances.size(); ++i) {
    if (used_tolerances_.is_used(i)) continue;
    const ToleranceRule& rule = options_.tolerances[i];
    std::string note = "the tolerance of " + rule.paths;
    if (rule.dtype) note.append(" for ").append(to_string(*rule.dtype));
    notes.push_back(note + " decided nothing");
  }
  return notes;
}

Tolerance Comparer::tolerance_of(const std::string& path, DType dtype) const {
  if (const ToleranceRule* const rule = rule_of(path, dtype)) return rule->tolerance;
  const Tolerance usual = default_tolerance(dtype);
  if (!has_fractions(dtype)) return usual;
  return {options_.rtol.value_or(usual.rtol), options_.atol.value_or(usual.atol)};
}

Tolerance Comparer::tolerance_of(const std::string& path, DType a, DType b,
                                 const RecordedDTypes& recorded) const {
  const DType dtype_a = effective_dtype(a, recorded.a);
  const DType dtype_b = effective_dtype(b, recorded.b);
  const Tolerance tolerance = tolerance_of(path, dtype_a);
  return dtype_a == dtype_b ? tolerance : looser(tolerance, tolerance_of(path, dtype_b));
}

bool Comparer::is_different(ComparisonRow& row, const Held& held) const {
  const TensorMetrics& found = *row.metrics;
  const bool is_within = found.is_within();
  if (!row.noise || found.non_finite.differing() != 0) return !is_within;
  const NoiseVerdict noise = verdict_of(
      *row.noise, is_within, is_given(row.path, held.a->dtype(), held.b->dtype(), held.recorded));
  if (noise == NoiseVerdict::as_without) return !is_within;
  row.detail += (row.detail.empty() ? "" : "; ") + std::string(text_of(noise));
  return noise == NoiseVerdict::beyond;
}

bool Comparer::is_given(const std::string& path, DType a, DType b,
                        const RecordedDTypes& recorded) const {
  return options_.rtol || options_.atol ||
         rule_of(path, effective_dtype(a, recorded.a)) != nullptr ||
         rule_of(path, effective_dtype(b, recorded.b)) != nullptr;
}

void Comparer::look_for_transpose(const Tensor& a, const Tensor& b, ComparisonRow& row) const {
  const std::optional<Transpose> found =
      find_transpose(a, b, row.metrics ? row.metrics->relative_l2 : std::nullopt);
  if (!found) return;
  row.permutation = found->order;
  if (!row.detail.empty()) row.detail += "; ";
  row.detail += found->text();
}

void Comparer::measure() {
  // Compact rows were added after the others.
  std::ranges::sort(held_, {}, &Held::row);
  for (std::size_t begin = 0; begin < held_.size();) {
    std::size_t end = begin;
    std::uint64_t work = 0;
    while (end < held_.size() && held_[end].a->size() < large && work < most_at_once)
      work += held_[end++].a->size() + share_of_tensor;
    if (end == begin) measure_alone(held_[end++]);
    else measure_together(std::span(held_).subspan(begin, end - begin), work);
    for (; begin < end; ++begin) count(held_[begin]);
  }
  // In recordings, any row may be the input of one that differs.
  std::erase_if(held_, [&](const Held& held) {
    const ComparisonRow& row = rows_.whole(held.row);
    return !options_.suggest || (row.verdict != Verdict::different && !row.record);
  });
}

void Comparer::measure_alone(const Held& held) {
  std::function<void(std::uint64_t)> progress;
  const std::uint64_t bytes = held.a->byte_size() + held.b->byte_size();
  if (options_.progress)
    progress = [&](std::uint64_t elements) {
      // Elements may be narrower than a byte.
      options_.progress(static_cast<std::uint64_t>(static_cast<long double>(elements) *
                                                   static_cast<long double>(bytes) /
                                                   static_cast<long double>(held.a->size())),
                        all_bytes_);
    };
  measure(held, progress);
}

void Comparer::measure_together(std::span<const Held> some, std::uint64_t work) {
  const std::uint64_t one = work / some.size();
  platform::in_pieces(
      some.size(), static_cast<std::size_t>(std::max<std::uint64_t>(thread_share / one, 1)),
      [&](std::size_t begin, std::size_t count, unsigned) {
        for (const Held& held : some.subspan(begin, count)) measure(held, {});
      },
      platform::threads_for(static_cast<std::size_t>(work), thread_share));
  if (!options_.progress) return;
  std::uint64_t bytes = 0;
  for (const Held& held : some) bytes += held.a->byte_size() + held.b->byte_size();
  report(bytes);
}

/// Modifies nothing but the row.
void Comparer::measure(const Held& held, const std::function<void(std::uint64_t)>& progress) {
  ComparisonRow& row = rows_.whole(held.row);
  const RecordedDTypes& recorded = held.recorded;
  try {
    Tensor room_a;
    Tensor room_b;
    const Tensor& a = at_hand(held.a, room_a);
    const Tensor& b = at_hand(held.b, room_b);
    row.metrics = compare_tensors(a, b, tolerance_of(row.path, a.dtype(), b.dtype(), recorded),
                                  recorded, progress);
    if (may_be_noise(held)) row.noise = noise_.floor(row, a, b, recorded);
    if (is_different(row, held)) row.verdict = Verdict::different;
    else if (row.metrics->compared == 0) row.verdict = Verdict::nothing;
    else row.verdict = row.metrics->is_exact() ? Verdict::equal : Verdict::close;
    if (row.verdict == Verdict::different && options_.suggest) look_for_transpose(a, b, row);
    if (row.record && row.verdict != Verdict::equal)
      row.unmasked_l2 = unmasked_l2(a, b, *row.metrics);
  } catch (const Error& error) {
    const Error located = error.details().path.empty() ? error.with_path(row.path) : error;
    if (!error.details().file.empty() || !name_of_) throw located;
    throw located.with_file(name_of_(can_be_read(*held.a)));
  }
}

bool Comparer::may_be_noise(const Held& held) const {
  // For integers, a difference of 1 is a different value, whatever the noise.
  return !noise_.empty() && has_fractions(held.a->dtype()) && has_fractions(held.b->dtype());
}

void Comparer::count(const Held& held) {
  const ComparisonRow& row = rows_.whole(held.row);
  Coverage& coverage = result_.coverage;
  ++coverage.tensors;
  coverage.elements += row.metrics->count;
  coverage.compared_elements += row.metrics->compared;
  if (row.verdict == Verdict::nothing) ++coverage.nothing;
  if (may_be_noise(held) && !row.noise) ++coverage.without_noise;
  if (row.noise && row.verdict == Verdict::close && !row.metrics->is_within() &&
      is_as_large_as_numbers(*row.noise))
    ++coverage.large_noise;
}

bool Comparer::may_be_held(std::size_t row) const {
  return rows_.is_compact(row) || std::ranges::binary_search(held_, row, {}, &Held::row);
}

std::optional<Comparer::Held> Comparer::held_of(std::size_t row) {
  const auto found = std::ranges::lower_bound(held_, row, {}, &Held::row);
  if (found != held_.end() && found->row == row) return *found;
  if (rows_.is_compact(row)) return held_of_compact(row);
  return std::nullopt;
}

Comparer::Held Comparer::held_of_compact(std::size_t row) {
  const CompactRow& compact = rows_.compact().rows[rows_.compact_place(row)];
  const auto [a, b] = compact_values_(compact.record);
  return {row, &a->tensor(), &b->tensor(), {recorded_dtype(*a), recorded_dtype(*b)}};
}

void Comparer::hold_compact(std::size_t row) {
  rows_.whole(row);  // Must be done before several threads use it.
  held_.push_back(held_of_compact(row));
}

}  // namespace safestructures::inline v0::comparing
