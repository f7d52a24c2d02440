/// \file
/// Remembers names as values, to share them: most objects of a list have the same.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <safestructures/data/value.hpp>
#include "data/box.hpp"

namespace safestructures::inline v0::detail {

/// Returns a number that few other names have; the upper bits are best. Takes 2 ns, but names can
/// be chosen to have the same.
inline std::uint64_t quick_hash(std::string_view name) noexcept {
  const auto ends = [&]<class Word>(Word) -> std::uint64_t {
    Word first;
    Word last;
    std::memcpy(&first, name.data(), sizeof(first));
    std::memcpy(&last, name.data() + name.size() - sizeof(last), sizeof(last));
    return (std::uint64_t{first} << 1U) ^ last;
  };
  std::uint64_t word = name.size();
  if (name.size() >= 8) word += ends(std::uint64_t{});
  else if (name.size() >= 4) word += ends(std::uint32_t{}) << 8U;
  else if (name.size() >= 2) word += ends(std::uint16_t{}) << 8U;
  else if (name.size() == 1) word += ends(std::uint8_t{}) << 8U;
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;
  return word * golden;
}

/// Returns a name as a value, which stays among those that are known until another takes its place.
/// Names that meet there only cost what each would cost without this.
/// \param known values that are none at first
/// \param hash of the name, from `quick_hash`
template <std::size_t Count>
const Value& remember_name(std::array<Value, Count>& known, std::string_view name,
                           std::uint64_t hash) {
  static_assert(std::has_single_bit(Count));
  Value& one = known[hash >> (64 - std::bit_width(Count - 1))];
  if (one.kind() != Kind::string || Box::string(one) != name) one = Value(name);
  return one;
}

}  // namespace safestructures::inline v0::detail
