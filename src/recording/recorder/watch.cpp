#include "recording/recorder/watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>

#include <fmt/format.h>

#include <safestructures/data/error.hpp>
#include <safestructures/data/walk.hpp>
#include "tools/doubles.hpp"

namespace safestructures::inline v0::recording {
namespace {

// Fits into the first-level cache as doubles; a multiple of eight for packed elements.
constexpr std::size_t block_size = 2048;
constexpr std::size_t lanes = 8;

bool is_watched(double value, const Watch& watch) {
  if (std::isnan(value)) return watch.nan;
  if (std::isinf(value)) return watch.infinity;
  return std::fabs(value) > watch.magnitude;
}

/// Returns false for a block without watched numbers. Does not branch for each element.
bool may_have(std::span<const double> values, const Watch& watch) {
  std::array<unsigned, lanes> others{};
  // Comparisons with NaN are false, so NaN counts.
  const double most = std::min(watch.magnitude, std::numeric_limits<double>::max());
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) others[k] |= std::fabs(values[i + k]) <= most ? 0U : 1U;
  for (; i < values.size(); ++i) others[0] |= std::fabs(values[i]) <= most ? 0U : 1U;
  return std::ranges::any_of(others, [](unsigned other) { return other != 0; });
}

std::optional<WatchFinding> find_in(const Tensor& tensor, const Watch& watch) {
  std::optional<WatchFinding> finding;
  const std::size_t parts = tensor.dtype() == DType::C64 ? 2 : 1;
  detail::for_each_block_in_doubles(
      tensor, block_size,
      [&](std::span<const double> numbers, std::uint64_t first, std::uint64_t /*count*/) {
        if (!may_have(numbers, watch)) return true;
        const auto found =
            std::ranges::find_if(numbers, [&](double value) { return is_watched(value, watch); });
        if (found == numbers.end()) return true;
        finding.emplace();
        finding->value = *found;
        finding->index = first + static_cast<std::size_t>(found - numbers.begin()) / parts;
        return false;
      });
  return finding;
}

std::optional<WatchFinding> find_in(std::initializer_list<double> numbers, const Watch& watch) {
  for (const double number : numbers) {
    if (!is_watched(number, watch)) continue;
    WatchFinding finding;
    finding.value = number;
    return finding;
  }
  return std::nullopt;
}

std::optional<WatchFinding> find_in(const Value& node, const Watch& watch) {
  switch (node.kind()) {
    case Kind::floating: return find_in({node.as_double()}, watch);
    case Kind::complex: return find_in({node.as_complex().real(), node.as_complex().imag()}, watch);
    case Kind::tensor: {
      const DType dtype = node.tensor().dtype();
      if (is_floating(dtype) || dtype == DType::C64) return find_in(node.tensor(), watch);
      return std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace

void require_sound(const Watch& watch) {
  if (watch.magnitude >= 0) return;
  throw Error(ErrorCode::invalid_argument, "the magnitude of a watch is not valid",
              {.path = "/watch/magnitude",
               .expected = "a number, 0 or larger",
               .found = fmt::format("{}", watch.magnitude)});
}

std::optional<WatchFinding> find_watched(const Value& value, const Watch& watch) {
  std::optional<WatchFinding> found;
  walk(value, [&](const Place& place) {
    try {
      found = find_in(place.value(), watch);
    } catch (const Error& error) {
      throw error.with_path(place.path().to_string());
    }
    if (!found) return Next::into;
    found->path = place.path().to_string();
    return Next::stop;
  });
  return found;
}

}  // namespace safestructures::inline v0::recording
