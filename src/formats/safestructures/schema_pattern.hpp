/// \file
/// What the reader of a schema knows of the containers before: in a list of dicts all mostly have
/// the same keys, and values of the same kinds.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <safestructures/data/value.hpp>
#include "data/dict.hpp"

namespace safestructures::inline v0::schema {

/// The most that a container is expected to hold because the one before did: a small multiple of
/// its text.
inline constexpr std::size_t most_expected = 1024;

/// A member of an object that was read, as it is spelled.
struct Member {
  std::string_view name;     ///< From the comma before it, if any, to what is before its value.
  std::string_view opening;  ///< The same up to what the value holds.
  Kind kind = Kind::custom;  ///< Of the value; custom where `opening` is not of the usual spelling.
};

/// How the dict or structure that was read last at a depth is spelled.
struct Pattern {
  std::vector<Member> members;
  std::string_view tail;  ///< What closes it, with the keys of a dict.
  Kind kind = Kind::dict;
  bool has_plain_names = true;         ///< Whether they are spelled as they are.
  const detail::Dict* dict = nullptr;  ///< It has strings alone as keys. Null: there is none.

  [[nodiscard]] bool is_of(Kind other) const noexcept { return dict != nullptr && kind == other; }
};

/// How long the sequence is that was read last at a depth.
struct Length {
  /// How long the next one is likely to be; 0 where those before differ.
  [[nodiscard]] std::size_t expected() const noexcept { return is_repeated ? last : 0; }
  void note(std::size_t length) noexcept {
    is_repeated = length == last && length <= most_expected;
    last = length;
  }

  std::size_t last = 0;
  bool is_repeated = false;
};

}  // namespace safestructures::inline v0::schema
