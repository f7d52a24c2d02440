#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <safestructures/data/error.hpp>

#include "data/keyed_hash.hpp"
#include "data/text/printable.hpp"
#include "formats/safetensors/table.hpp"

namespace safestructures::inline v0::safetensors::detail {

using safestructures::detail::for_message;

std::uint64_t NameIndex::hash_of(std::string_view name) noexcept {
  return safestructures::detail::keyed_hash(name.data(), name.size());
}

std::uint64_t NameIndex::hash_and_fetch(std::string_view name) const noexcept {
  const std::uint64_t hash = hash_of(name);
  __builtin_prefetch(&slots_[hash & mask_], 1);
  return hash;
}

void NameIndex::make_slots() {
  // At most two thirds full.
  slots_.resize(std::bit_ceil(most_ + most_ / 2 + 2));
  mask_ = slots_.size() - 1;
}

NameIndex index_names(const Table& table) {
  NameIndex index(table.size());
  const auto name_at = [&](std::size_t i) { return table.name(i); };
  if (const auto twice = index.insert(0, table.size(), name_at)) {
    throw Error(ErrorCode::duplicate_name, "two tensors have the same name",
                {.path = for_message(table.name(twice->first))});
  }
  return index;
}

}  // namespace safestructures::inline v0::safetensors::detail
