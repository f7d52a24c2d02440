/// \file
/// Sets of kinds of Value: what a codec makes, by which the alternatives of a variant differ.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <safestructures/data/value.hpp>

namespace safestructures::inline v0 {

template <class T>
struct Codec;

/// A set of kinds. A codec may declare in `static constexpr KindSet kinds` what its `encode` makes;
/// otherwise it may make anything.
struct KindSet {
  std::uint32_t bits = 0;  ///< Bit i represents the kind with number i.

  /// Makes the empty set.
  constexpr KindSet() = default;
  /// Makes a set of one kind.
  constexpr KindSet(Kind kind) : bits(1U << static_cast<unsigned>(kind)) {}
  /// Returns the set of all kinds.
  static constexpr KindSet any() { return from_bits(~0U); }

  /// Whether the set contains the kind.
  [[nodiscard]] constexpr bool has(Kind kind) const { return (bits & KindSet(kind).bits) != 0; }
  /// Whether any kind is in both sets.
  [[nodiscard]] constexpr bool overlaps(KindSet other) const { return (bits & other.bits) != 0; }
  /// Returns the union of two sets.
  friend constexpr KindSet operator|(KindSet a, KindSet b) { return from_bits(a.bits | b.bits); }
  /// Whether the sets are the same.
  friend constexpr bool operator==(KindSet, KindSet) = default;

 private:
  static constexpr KindSet from_bits(std::uint32_t bits) {
    KindSet set;
    set.bits = bits;
    return set;
  }
};

/// A type whose codec has a `type_name`: it is saved as a custom value of that name.
template <class T>
concept NamedCodec = requires {
  { Codec<T>::type_name } -> std::convertible_to<std::string_view>;
};

/// A type whose codec declares which kinds of Value it makes.
template <class T>
concept SaysKinds = requires {
  { Codec<T>::kinds } -> std::convertible_to<KindSet>;
};

/// A type whose codec has `static constexpr bool nullable = true`: it has an empty state that is
/// saved as None, so a holder of such a T must distinguish that state from holding no T; see
/// codecs/holders.hpp.
template <class T>
concept Nullable = requires { requires Codec<T>::nullable; };

/// Returns what encoding a T may make: a custom value, what `Codec<T>::kinds` declares, or
/// anything.
template <class T>
consteval KindSet kinds_of() {
  if constexpr (NamedCodec<T>) return Kind::custom;
  else if constexpr (SaysKinds<T>) return Codec<T>::kinds;
  else return KindSet::any();
}

}  // namespace safestructures::inline v0
