#include "recording/recorder/watch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

bool is_watched(double value, const Watch& watch) {
  if (std::isnan(value)) return watch.nan;
  if (std::isinf(value)) return watch.infinity;
  return std::fabs(value) > watch.magnitude;
}

/// Whether a number has a larger magnitude than `most`, whose sign is not set, or is infinite or
/// NaN: in each of the dtypes, the bits of magnitudes have the order of the magnitudes.
/// \tparam Word a signed integer as wide as the numbers
template <class Word>
bool is_any_above(std::span<const std::byte> numbers, Word most) {
  for (std::size_t at = 0; at < numbers.size();) {
    Word is_above = 0;
    // Does not branch for each element.
    for (const std::size_t end = std::min(numbers.size(), at + block_size * sizeof(Word)); at < end;
         at += sizeof(Word)) {
      Word bits = 0;
      std::memcpy(&bits, numbers.data() + at, sizeof bits);
      const auto magnitude = static_cast<Word>(bits & std::numeric_limits<Word>::max());
      is_above = static_cast<Word>(is_above | static_cast<Word>(magnitude > most));
    }
    if (is_above != 0) return true;
  }
  return false;
}

/// Returns the bits of the largest number of a dtype that is not above `most`.
/// @{
std::int64_t double_bits(double most) { return std::bit_cast<std::int64_t>(most); }

std::int32_t float_bits(double most) {
  constexpr float largest = std::numeric_limits<float>::max();
  const auto bits = std::bit_cast<std::int32_t>(
      most < static_cast<double>(largest) ? static_cast<float>(most) : largest);
  return static_cast<double>(std::bit_cast<float>(bits)) > most ? bits - 1 : bits;
}

std::int16_t bfloat16_bits(double most) {
  return static_cast<std::int16_t>(float_bits(most) >> 16);
}

std::int16_t half_bits(double most) {
  constexpr std::int16_t largest = 0x7BFF;
  const std::int32_t bits = float_bits(most);
  const auto number = std::bit_cast<float>(bits);
  if (number >= 65504) return largest;
  // Subnormal numbers are 2^-24 apart.
  if (number < 0x1p-14F) return static_cast<std::int16_t>(number * 0x1p24F);
  return static_cast<std::int16_t>((bits >> 13) - (112 << 10));
}
/// @}

/// Returns false if no number of the tensor is watched, as far as its bits tell.
/// \param most the largest finite magnitude that is not watched
bool may_have_watched(const Tensor& tensor, double most) {
  if (!tensor.is_loaded() || !tensor.is_contiguous()) return true;
  const std::span<const std::byte> bytes = tensor.bytes();
  switch (tensor.dtype()) {
    case DType::F64: return is_any_above(bytes, double_bits(most));
    case DType::F32:
    case DType::C64: return is_any_above(bytes, float_bits(most));
    case DType::BF16: return is_any_above(bytes, bfloat16_bits(most));
    case DType::F16: return is_any_above(bytes, half_bits(most));
    default: return true;
  }
}

std::optional<WatchFinding> find_in(const Tensor& tensor, const Watch& watch) {
  std::optional<WatchFinding> finding;
  const double most = std::min(watch.magnitude, std::numeric_limits<double>::max());
  if (!may_have_watched(tensor, most)) return finding;
  const std::size_t parts = tensor.dtype() == DType::C64 ? 2 : 1;
  detail::for_each_block_in_doubles(
      tensor, block_size,
      [&](std::span<const double> numbers, std::uint64_t first, std::uint64_t /*count*/) {
        if (!is_any_above(std::as_bytes(numbers), double_bits(most))) return true;
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
