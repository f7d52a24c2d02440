/// \file
/// Which kinds of Value a codec makes: what tells the alternatives of a variant apart.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <safestructures/data/codec.hpp>

namespace safestructures {

/// A set of kinds. A codec may say in `static constexpr KindSet kinds` what its `encode` makes; one
/// that does not may make anything.
struct KindSet {
  std::uint32_t bits = 0;

  constexpr KindSet() = default;
  constexpr KindSet(Kind kind) : bits(1U << static_cast<unsigned>(kind)) {}
  /// Every kind.
  static constexpr KindSet any() { return from_bits(~0U); }

  [[nodiscard]] constexpr bool has(Kind kind) const { return (bits & KindSet(kind).bits) != 0; }
  [[nodiscard]] constexpr bool overlaps(KindSet other) const { return (bits & other.bits) != 0; }
  friend constexpr KindSet operator|(KindSet a, KindSet b) { return from_bits(a.bits | b.bits); }
  friend constexpr bool operator==(KindSet, KindSet) = default;

 private:
  static constexpr KindSet from_bits(std::uint32_t bits) {
    KindSet set;
    set.bits = bits;
    return set;
  }
};

namespace detail {

/// What encoding a T may make.
template <class T>
consteval KindSet kinds_of() {
  if constexpr (NamedCodec<T>) {
    return Kind::custom;
  } else if constexpr (requires {
                         { Codec<T>::kinds } -> std::convertible_to<KindSet>;
                       }) {
    return Codec<T>::kinds;
  } else {
    return KindSet::any();
  }
}

/// A struct that its fields describe, unless a codec says otherwise.
template <class T>
concept Aggregate = std::is_class_v<T> && std::is_aggregate_v<T>;

/// A type that has an empty state of its own, saved as None: an optional of such needs to tell that
/// state from having no value.
template <class T>
concept Nullable = requires { requires Codec<T>::nullable; };

/// The value of an engaged optional or pointer to a `Nullable`: as it is, or in a tuple of one
/// where it would read as empty (None) or as such a tuple.
SAFESTRUCTURES_API Value mark_engaged(Value value);
/// What `mark_engaged` was given.
SAFESTRUCTURES_API const Value& unmark_engaged(const Value& value);

}  // namespace detail
}  // namespace safestructures
