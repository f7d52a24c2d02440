#include "compare/numbers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/error.hpp>
#include "compare/metrics/noise_floor.hpp"
#include "compare/metrics/row_detail.hpp"
#include "compare/metrics/tensor_pair.hpp"
#include "compare/metrics/transpose.hpp"
#include "compare/metrics/unmasked.hpp"
#include "compare/pairing/located.hpp"
#include "platform/parallel.hpp"

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

/// Compares all held tensors.
class NumberComparer {
 public:
  NumberComparer(const Rules& rules, Draft& draft) : rules_(rules), draft_(draft) {}

  void compare(std::span<const HeldTensors::Held> all) {
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin;
      std::uint64_t work = 0;
      while (end < all.size() && all[end].tensors.a->size() < large && work < most_at_once)
        work += all[end++].tensors.a->size() + share_of_tensor;
      if (end == begin) compare_alone(all[end++]);
      else compare_together(all.subspan(begin, end - begin), work);
      for (; begin < end; ++begin) count(all[begin]);
    }
  }

 private:
  using Held = HeldTensors::Held;
  using ElementsDone = std::function<void(std::uint64_t elements)>;

  void compare_alone(const Held& held) {
    ElementsDone done;
    if (draft_.progress.is_wanted())
      done = [&](std::uint64_t elements) {
        // Elements may be narrower than a byte.
        draft_.progress.report(
            static_cast<std::uint64_t>(static_cast<long double>(elements) *
                                       static_cast<long double>(held.tensors.byte_size()) /
                                       static_cast<long double>(held.tensors.a->size())));
      };
    compare_one(held, done);
  }

  /// \param work in numbers
  void compare_together(std::span<const Held> some, std::uint64_t work) {
    const std::uint64_t one = work / some.size();
    platform::in_pieces(
        some.size(), static_cast<std::size_t>(std::max<std::uint64_t>(thread_share / one, 1)),
        [&](std::size_t begin, std::size_t count, unsigned) {
          for (const Held& held : some.subspan(begin, count)) compare_one(held, {});
        },
        platform::threads_for(static_cast<std::size_t>(work), thread_share));
    if (!draft_.progress.is_wanted()) return;
    std::uint64_t bytes = 0;
    for (const Held& held : some) bytes += held.tensors.byte_size();
    draft_.progress.report(bytes);
  }

  /// Modifies nothing but the row, as several threads call it.
  void compare_one(const Held& held, const ElementsDone& done) {
    ComparisonRow& row = draft_.rows.whole(held.row);
    try {
      Tensor room_a;
      Tensor room_b;
      fill(row,
           {&at_hand(held.tensors.a, room_a), &at_hand(held.tensors.b, room_b),
            held.tensors.recorded},
           done);
    } catch (const Error& error) {
      throw located(error, row.path, {held.tensors.a, held.tensors.b}, draft_.name_of);
    }
  }

  void fill(ComparisonRow& row, const TensorPair& tensors, const ElementsDone& done) const {
    const Tensor& a = *tensors.a;
    const Tensor& b = *tensors.b;
    const BothDTypes dtypes = tensors.dtypes();
    row.metrics =
        compare_tensors(a, b, rules_.tolerances.of(row.path, dtypes), tensors.recorded, done);
    if (may_have_noise(dtypes)) row.noise = rules_.noise.floor(row, tensors);
    if (is_different(row, dtypes)) row.verdict = Verdict::different;
    else if (row.metrics->compared == 0) row.verdict = Verdict::nothing;
    else row.verdict = row.metrics->is_exact() ? Verdict::equal : Verdict::close;
    if (row.verdict == Verdict::different && rules_.options.suggest) recognise_transpose(a, b, row);
    if (row.record && row.verdict != Verdict::equal)
      row.unmasked_l2 = unmasked_l2(a, b, *row.metrics);
  }

  /// Decides by tolerance and noise; if noise decides, says so in the row.
  [[nodiscard]] bool is_different(ComparisonRow& row, const BothDTypes& dtypes) const {
    const TensorMetrics& found = *row.metrics;
    const bool is_within = found.is_within();
    if (!row.noise || found.non_finite.differing() != 0) return !is_within;
    const NoiseVerdict noise = verdict_of(
        *row.noise,
        {.is_within = is_within, .is_given = rules_.tolerances.are_given(row.path, dtypes)});
    if (noise == NoiseVerdict::as_without) return !is_within;
    add_detail(row, text_of(noise));
    return noise == NoiseVerdict::beyond;
  }

  [[nodiscard]] bool may_have_noise(const BothDTypes& dtypes) const {
    // For integers, a difference of 1 is a different value, whatever the noise.
    return !rules_.noise.empty() && has_fractions(dtypes.a.stored) &&
           has_fractions(dtypes.b.stored);
  }

  void count(const Held& held) {
    const ComparisonRow& row = draft_.rows.whole(held.row);
    Coverage& coverage = draft_.result.coverage;
    ++coverage.tensors;
    coverage.elements += row.metrics->count;
    coverage.compared_elements += row.metrics->compared;
    draft_.count(row.verdict);
    if (may_have_noise(held.tensors.dtypes()) && !row.noise) ++coverage.without_noise;
    if (row.noise && row.verdict == Verdict::close && !row.metrics->is_within() &&
        is_as_large_as_numbers(*row.noise))
      ++coverage.large_noise;
  }

  const Rules& rules_;
  Draft& draft_;
};

}  // namespace

void compare_numbers(const Rules& rules, Draft& draft) {
  NumberComparer(rules, draft).compare(draft.held.sorted());
  draft.held.keep_only([&](const HeldTensors::Held& held) {
    if (!rules.options.suggest) return false;
    const ComparisonRow& row = draft.rows.whole(held.row);
    // In recordings, any row may be the input of one that differs.
    return row.verdict == Verdict::different || row.record.has_value();
  });
}

}  // namespace safestructures::inline v0::comparing
