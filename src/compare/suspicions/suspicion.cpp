#include "compare/suspicions/suspicion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "platform/parallel.hpp"

namespace safestructures::inline v0::comparing {
namespace {

// If two explain as much, the one listed first is more specific.
constexpr std::array<Detector, 14> detectors = {
    suspect_interleaving, suspect_rotation, suspect_transpose, suspect_activation,  suspect_scale,
    suspect_epsilon,      suspect_residual, suspect_shift,     suspect_offset,      suspect_blocks,
    suspect_bias,         suspect_mask,     suspect_padding,   suspect_accumulation};

constexpr std::size_t place_of(Detector detector) {
  return static_cast<std::size_t>(std::ranges::find(detectors, detector) - detectors.begin());
}

/// Puts the best explanation first, and removes those that another one implies.
void put_in_order(std::vector<Suspicion>& found) {
  // With a mask that is off by one diagonal, rows also match their neighbours.
  const auto mask = std::ranges::find(found, "mask off by one", &Suspicion::fault);
  if (mask != found.end() && mask->explained)
    std::erase_if(found, [](const Suspicion& one) { return one.fault == "position offset"; });
  std::ranges::stable_sort(found, [](const Suspicion& left, const Suspicion& right) {
    // Ignores differences that rounding could make.
    return std::floor(50 * left.explained.value_or(0)) >
           std::floor(50 * right.explained.value_or(0));
  });
}

}  // namespace

std::vector<Suspicion> suspect(const Case& one) {
  std::array<std::optional<Suspicion>, detectors.size()> all;
  platform::in_pieces(
      detectors.size(), 1,
      [&](std::size_t i, std::size_t, unsigned) {
        // If only NaNs differ, there are no numbers to explain.
        if (one.all.errors != 0 || detectors[i] == suspect_mask) all[i] = detectors[i](one);
      },
      platform::threads_for(one.a.size(), suspected_thread_share));
  // Interleaved neighbours that became halves are also permuted blocks.
  if (all[place_of(suspect_interleaving)]) all[place_of(suspect_blocks)].reset();
  std::vector<Suspicion> found;
  for (std::optional<Suspicion>& suspicion : all) {
    if (!suspicion) continue;
    if (!one.grid.is_whole())
      suspicion->evidence +=
          fmt::format(", in {} of {} numbers", one.grid.size(), one.grid.whole_size());
    found.push_back(std::move(*suspicion));
  }
  put_in_order(found);
  return found;
}

void add(std::vector<Suspicion> more, std::vector<Suspicion>& found) {
  for (Suspicion& suspicion : more)
    if (std::ranges::find(found, suspicion.fault, &Suspicion::fault) == found.end())
      found.push_back(std::move(suspicion));
  put_in_order(found);
}

}  // namespace safestructures::inline v0::comparing
