#include "data/keyed_hash.hpp"

#include <random>
#include "platform/xxh3.hpp"

namespace safestructures::inline v0::detail {

std::uint64_t keyed_hash(const void* data, std::size_t size, std::uint64_t salt) noexcept {
  static const std::uint64_t key = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }();
  return XXH3_64bits_withSeed(data, size, key ^ salt);
}

}  // namespace safestructures::inline v0::detail
