/// \file
/// A hash of bytes that a file's author cannot predict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace safestructures::inline v0::detail {

/// Hashes bytes with a key drawn when the program starts (XXH3), so that no file can hold names
/// that were chosen to collide. `salt` tells equal bytes of different meaning apart.
[[nodiscard]] std::uint64_t keyed_hash(const void* data, std::size_t size,
                                       std::uint64_t salt = 0) noexcept;

/// For the standard's hash tables.
struct KeyedHash {
  using is_transparent = void;  // Tables whose comparison is so too look up any text.

  std::size_t operator()(std::string_view text) const noexcept {
    return static_cast<std::size_t>(keyed_hash(text.data(), text.size()));
  }
};

}  // namespace safestructures::inline v0::detail
