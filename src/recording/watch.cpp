#include "recording/watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <safestructures/data/walk.hpp>

namespace safestructures::inline v0::recording {
namespace {

// As doubles in the first-level cache; a multiple of eight for packed elements.
constexpr std::size_t block_size = 2048;
constexpr std::size_t lanes = 8;

bool is_watched(double value, const Watch& watch) {
  if (std::isnan(value)) return watch.nan;
  if (std::isinf(value)) return watch.infinity;
  return std::fabs(value) > watch.magnitude;
}

/// False for a block that surely has nothing: without a branch for each element.
bool may_have(std::span<const double> values, const Watch& watch) {
  std::array<unsigned, lanes> others{};
  // NaN compares false, and so counts.
  const double most = std::min(watch.magnitude, std::numeric_limits<double>::max());
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) others[k] |= std::fabs(values[i + k]) <= most ? 0U : 1U;
  for (; i < values.size(); ++i) others[0] |= std::fabs(values[i]) <= most ? 0U : 1U;
  return std::ranges::any_of(others, [](unsigned other) { return other != 0; });
}

std::optional<WatchFinding> find_in(const Tensor& tensor, const Watch& watch) {
  std::vector<double> block;
  const std::uint64_t most = tensor.block_elements(block_size);
  block.resize(static_cast<std::size_t>(std::min(most, tensor.size())));
  for (std::uint64_t first = 0; first < tensor.size();) {
    const std::uint64_t count = std::min(most, tensor.size() - first);
    const auto used = std::span(block).first(static_cast<std::size_t>(count));
    tensor.copy_elements(first, count, DType::F64, std::as_writable_bytes(used), Overflow::allow);
    if (may_have(used, watch)) {
      const auto found =
          std::ranges::find_if(used, [&](double value) { return is_watched(value, watch); });
      if (found != used.end()) {
        WatchFinding finding;
        finding.value = *found;
        finding.index = first + static_cast<std::uint64_t>(found - used.begin());
        return finding;
      }
    }
    first += count;
  }
  return std::nullopt;
}

}  // namespace

std::optional<WatchFinding> find_watched(const Value& value, const Watch& watch) {
  std::optional<WatchFinding> found;
  walk(value, [&](const Place& place) {
    const Value& node = place.value();
    if (node.kind() != Kind::tensor || !is_floating(node.tensor().dtype())) return Next::into;
    found = find_in(node.tensor(), watch);
    if (!found) return Next::into;
    found->path = place.path().to_string();
    return Next::stop;
  });
  return found;
}

}  // namespace safestructures::inline v0::recording
