/// \file
/// The layout of plain aggregates: how many initialisers they take, and which belong to C arrays.
///
/// Counted here because Boost.PFR's count fails for members such as
/// `std::optional<Eigen::Matrix3d>` and for C arrays.
#pragma once

#include <boost/version.hpp>

#include <cstddef>
#include <cstdlib>
#include <tuple>
#include <type_traits>
#include <utility>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// The maximum number of fields of an aggregate: what Boost.PFR can bind.
#if BOOST_VERSION >= 108400
inline constexpr std::size_t max_fields = 200;
#else
inline constexpr std::size_t max_fields = 100;
#endif

namespace detail {

/// The maximum number of initialisers that are tried; each element of a C array counts as one.
inline constexpr std::size_t max_initialisers = 512;

/// Converts to a value of any type. Used only in unevaluated code, as a volatile rvalue that cannot
/// be copied; both properties rule out a member's own converting constructors: std::any needs a
/// copy, and std::optional<Eigen::Matrix3d> asks Eigen, whose constructors that take anything
/// (`const T&`) do not accept a volatile rvalue, and would not compile if they did. If a member has
/// a fitting constructor nevertheless, that is a better match than the `const` conversion here, so
/// there is never an ambiguity.
struct AnyField {
  AnyField(const AnyField&) = delete;
  // Never called, but defined: Clang instantiates constexpr constructors even in unevaluated code,
  // and they must not call undefined functions.
  template <class Member>
  operator Member() const volatile {
    std::abort();
  }
};

/// Converts only to base classes of T.
template <class T>
struct AnyBase {
  AnyBase(const AnyBase&) = delete;
  template <class Member>
    requires(std::is_base_of_v<Member, T> && !std::is_same_v<Member, T>)
  operator Member() const volatile;
};

/// Converts to nothing: whatever accepts it accepts anything.
struct Unconvertible {
  Unconvertible(const Unconvertible&) = delete;
};

/// Like `AnyField`, for a member that is a reference to non-const.
struct AnyReference {
  AnyReference(const AnyReference&) = delete;
  template <class Member>
  operator Member&() const volatile;
};

template <std::size_t>
volatile AnyField&& any_field();

template <class Any>
volatile Any&& any_of();

template <class T, class Before>
struct Initialisable;

template <class T, std::size_t... I>
struct Initialisable<T, std::index_sequence<I...>> {
  static constexpr bool value = requires { T{any_field<I>()...}; };

  /// Whether T also takes one more initialiser of the given type after those.
  template <class Any>
  static constexpr bool followed_by = requires { T{any_field<I>()..., any_of<Any>()}; };

  template <class Any>
  static constexpr bool preceded_by = requires { T{any_of<Any>(), any_field<I>()...}; };
};

/// Whether T takes I initialisers, then one in its own braces that holds J, then K more.
template <class T, class Before, class Inside, class Behind>
inline constexpr bool takes_sequences = false;

template <class T, std::size_t... I, std::size_t... J, std::size_t... K>
inline constexpr bool takes_sequences<T, std::index_sequence<I...>, std::index_sequence<J...>,
                                      std::index_sequence<K...>> =
    requires { T{any_field<I>()..., {any_field<J>()...}, any_field<K>()...}; };

template <class T, std::size_t N>
inline constexpr bool takes = Initialisable<T, std::make_index_sequence<N>>::value;

template <class T, std::size_t Before, std::size_t Inside, std::size_t Behind>
inline constexpr bool takes_nested =
    takes_sequences<T, std::make_index_sequence<Before>, std::make_index_sequence<Inside>,
                    std::make_index_sequence<Behind>>;

/// Returns the largest number of initialisers in [Low, High) that T takes, given that it takes Low.
template <class T, std::size_t Low, std::size_t High>
consteval std::size_t last_taken() {
  if constexpr (High - Low <= 1) {
    return Low;
  } else {
    constexpr std::size_t middle = Low + (High - Low) / 2;
    if constexpr (takes<T, middle>) {
      return last_taken<T, middle, High>();
    } else {
      return last_taken<T, Low, middle>();
    }
  }
}

/// Like `last_taken`, with High found by doubling.
template <class T, std::size_t Low>
consteval std::size_t gallop() {
  constexpr std::size_t next = Low == 0 ? 4 : 2 * Low;
  if constexpr (next > max_initialisers) {
    return Low;
  } else if constexpr (takes<T, next>) {
    return gallop<T, next>();
  } else {
    return last_taken<T, Low, next>();
  }
}

/// Returns the first number from N on that T takes, in case fields without a default come late.
template <class T, std::size_t N>
consteval std::size_t first_taken() {
  if constexpr (N > max_fields || takes<T, N>) {
    return N;
  } else {
    return first_taken<T, N + 1>();
  }
}

template <class T>
consteval std::size_t count_initialisers() {
  if constexpr (takes<T, 0>) {
    return gallop<T, 0>();
  } else {
    constexpr std::size_t first = first_taken<T, 1>();
    if constexpr (first > max_fields) {
      return 0;
    } else {
      return gallop<T, first>();
    }
  }
}

/// Returns how many initialisers the member at Position takes without braces: more than one only
/// for a C array. With its own braces it takes one, so that T takes fewer in total.
template <class T, std::size_t Total, std::size_t Position, std::size_t Length = 2>
consteval std::size_t member_length() {
  constexpr std::size_t left = Total - Position;
  if constexpr (Length > left || takes_nested<T, Position, 0, left - 1>) {
    return 1;
  } else if constexpr (takes_nested<T, Position, Length, left - Length> &&
                       !takes_nested<T, Position, Length, left - 1>) {
    return Length;
  } else {
    return member_length<T, Total, Position, Length + 1>();
  }
}

struct Layout {
  std::size_t fields = 0;
  bool has_array = false;
};

template <class T, std::size_t Total, std::size_t Position = 0>
consteval Layout find_layout(Layout layout = {}) {
  if constexpr (Position < Total) {
    constexpr std::size_t length = member_length<T, Total, Position>();
    return find_layout<T, Total, Position + length>(
        {layout.fields + 1, layout.has_array || length > 1});
  } else {
    return layout;
  }
}

template <class T>
concept TupleLike = requires { std::tuple_size<T>::value; };

template <class T>
inline constexpr std::size_t initialisers = count_initialisers<T>();

template <class T>
inline constexpr Layout layout_of = find_layout<T, initialisers<T>>();

/// Whether the first initialiser is for a base class.
template <class T>
consteval bool has_base() {
  if constexpr (initialisers<T> == 0) {
    return false;
  } else {
    constexpr std::size_t others = takes<T, 1> ? 0 : initialisers<T> - 1;
    using Others = Initialisable<T, std::make_index_sequence<others>>;
    return Others::template preceded_by<AnyBase<T>> && !Others::template preceded_by<Unconvertible>;
  }
}

}  // namespace detail
}  // namespace safestructures::inline v0
