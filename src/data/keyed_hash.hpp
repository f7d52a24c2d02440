/// \file
/// A hash of bytes that the author of a file cannot predict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace safestructures::inline v0::detail {

/// Hashes bytes with a key drawn when the program starts (XXH3), so that no file can contain names
/// chosen to collide. `salt` distinguishes equal bytes of different meaning.
[[nodiscard]] std::uint64_t keyed_hash(const void* data, std::size_t size,
                                       std::uint64_t salt = 0) noexcept;

/// A hash function for the standard containers.
struct KeyedHash {
  using is_transparent = void;  // Tables with a transparent comparison can look up any text.

  // Not noexcept: libstdc++ then keeps each hash with its element, and growing a table of 100,000
  // names reads none of them again.
  std::size_t operator()(std::string_view text) const {
    return static_cast<std::size_t>(keyed_hash(text.data(), text.size()));
  }
};

}  // namespace safestructures::inline v0::detail
