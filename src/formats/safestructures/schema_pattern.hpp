/// \file
/// What the reader of a schema remembers of preceding containers: in a list of dicts, most have the
/// same keys, and values of the same kinds.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <safestructures/data/value.hpp>
#include "data/dict.hpp"

namespace safestructures::inline v0::schema {

/// The most items that a container is expected to hold because the preceding one did; their memory
/// is a small multiple of its text.
inline constexpr std::size_t most_expected = 1024;

/// A member of an object as it was spelled when read.
struct Member {
  std::string_view name;     ///< From the comma before it, if any, up to its value.
  std::string_view opening;  ///< The same, up to the content of the value.
  Kind kind = Kind::custom;  ///< Of the value; custom if `opening` has an unusual spelling.
};

/// The spelling of the dict or structure that was last read at a depth.
struct Pattern {
  std::vector<Member> members;
  std::string_view tail;  ///< The text that closes it, including the keys of a dict.
  Kind kind = Kind::dict;
  bool has_plain_names = true;         ///< Whether all names are spelled without escapes.
  const detail::Dict* dict = nullptr;  ///< Its keys are all strings. Null if there is none.

  [[nodiscard]] bool is_of(Kind other) const noexcept { return dict != nullptr && kind == other; }
};

/// The length of the sequence that was last read at a depth.
struct Length {
  /// Returns the likely length of the next one; 0 if the preceding ones differ.
  [[nodiscard]] std::size_t expected() const noexcept { return is_repeated ? last : 0; }
  void note(std::size_t length) noexcept {
    is_repeated = length == last && length <= most_expected;
    last = length;
  }

  std::size_t last = 0;
  bool is_repeated = false;
};

}  // namespace safestructures::inline v0::schema
