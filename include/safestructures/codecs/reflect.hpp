/// \file
/// Fields of plain aggregates: how many, their names, types and values, and building one.
///
/// The fields are counted here, because Boost.PFR's count breaks on members such as
/// `std::optional<Eigen::Matrix3d>` and on C arrays; access to them is Boost.PFR's.
#pragma once

#include <boost/pfr/core.hpp>
#include <boost/version.hpp>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <safestructures/codecs/field_names.hpp>

namespace safestructures {

/// The most fields an aggregate may have: what Boost.PFR can bind.
#if BOOST_VERSION >= 108400
inline constexpr std::size_t max_fields = 200;
#else
inline constexpr std::size_t max_fields = 100;
#endif

namespace detail {

/// The most initialisers that are tried; the elements of C arrays count one by one.
inline constexpr std::size_t max_initialisers = 512;

/// Converts to the value of any type, in unevaluated code only, where it appears as a volatile
/// rvalue that cannot be copied. Both keep a member's own converting constructors away: std::any
/// wants to copy it; std::optional<Eigen::Matrix3d> asks Eigen, whose constructors from anything
/// (`const T&`) take no volatile rvalue, and would not compile if they did. Where a member has a
/// constructor that fits after all, it is the better match than the `const` conversion here: never
/// an ambiguity.
struct AnyField {
  AnyField(const AnyField&) = delete;
  // Never called, but defined: Clang instantiates constexpr constructors even where nothing is
  // evaluated, and they must not call what has no definition.
  template <class Member>
  operator Member() const volatile {
    std::abort();
  }
};

/// Converts to base classes of T only.
template <class T>
struct AnyBase {
  AnyBase(const AnyBase&) = delete;
  template <class Member>
  requires(std::is_base_of_v<Member, T> && !std::is_same_v<Member, T>) operator Member() const
      volatile;
};

/// Converts to nothing: what takes it takes everything.
struct Unconvertible {
  Unconvertible(const Unconvertible&) = delete;
};

/// As `AnyField`, for a member that is a reference to something that can change.
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

  /// One more initialiser of the given type behind those.
  template <class Any>
  static constexpr bool followed_by = requires {
    T{any_field<I>()..., any_of<Any>()};
  };

  template <class Any>
  static constexpr bool preceded_by = requires {
    T{any_of<Any>(), any_field<I>()...};
  };
};

/// Initialisers, then one in braces of its own that holds J, then K more.
template <class T, class Before, class Inside, class Behind>
inline constexpr bool takes_sequences = false;

template <class T, std::size_t... I, std::size_t... J, std::size_t... K>
inline constexpr bool takes_sequences<T, std::index_sequence<I...>, std::index_sequence<J...>,
                                      std::index_sequence<K...>> = requires {
  T{any_field<I>()..., {any_field<J>()...}, any_field<K>()...};
};

template <class T, std::size_t N>
inline constexpr bool takes = Initialisable<T, std::make_index_sequence<N>>::value;

template <class T, std::size_t Before, std::size_t Inside, std::size_t Behind>
inline constexpr bool takes_nested =
    takes_sequences<T, std::make_index_sequence<Before>, std::make_index_sequence<Inside>,
                    std::make_index_sequence<Behind>>;

/// The largest number of initialisers in [Low, High) that T takes, where it takes Low.
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

/// As `last_taken`, with High found by doubling.
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

/// The first number from N on that T takes, where fields without a default come late.
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

/// How many initialisers the member at Position takes when braces are left out: more than one only
/// for a C array. Braces of its own make it one, so the rest then takes fewer.
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
concept TupleLike = requires {
  std::tuple_size<T>::value;
};

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

/// References to all fields of `object`, N of them, as Boost.PFR's tuple.
template <std::size_t N, class T>
constexpr auto tie_fields(T& object) noexcept {
  return boost::pfr::detail::tie_as_tuple(object, boost::pfr::detail::size_t_<N>{});
}

template <std::size_t I, std::size_t N, class T>
constexpr auto& tied_field(T& object) noexcept {
  return boost::pfr::detail::sequence_tuple::get<I>(tie_fields<N>(object));
}

/// A bit-field has no address, and that of a reference is no constant.
template <class T, std::size_t N, std::size_t... I>
consteval bool have_addresses(std::index_sequence<I...>) {
  return (requires {
    typename MemberName<MemberPointer{std::addressof(tied_field<I, N>(unbuilt<T>.value))}>;
  } && ...);
}

enum class ReflectionProblem {
  none,
  not_aggregate,
  tuple_like,
  base,
  undetermined,
  too_many,
  no_address,
};

template <class T>
consteval ReflectionProblem find_reflection_problem() {
  if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T>) {
    return ReflectionProblem::not_aggregate;
  } else if constexpr (TupleLike<T>) {
    return ReflectionProblem::tuple_like;
  } else if constexpr (initialisers<T> >= max_initialisers) {
    return ReflectionProblem::too_many;
  } else if constexpr (has_base<T>()) {
    return ReflectionProblem::base;
  } else if constexpr (initialisers<T> == 0 && !std::is_empty_v<T>) {
    return ReflectionProblem::undetermined;
  } else if constexpr (Initialisable<T, std::make_index_sequence<initialisers<T>>>::
                           template followed_by<AnyReference>) {
    return ReflectionProblem::no_address;
  } else if constexpr (layout_of<T>.fields > max_fields) {
    return ReflectionProblem::too_many;
  } else if constexpr (constexpr std::size_t count = layout_of<T>.fields;
                       !have_addresses<T, count>(std::make_index_sequence<count>{})) {
    return ReflectionProblem::no_address;
  } else {
    return ReflectionProblem::none;
  }
}

template <class T>
inline constexpr ReflectionProblem reflection_problem = find_reflection_problem<T>();

template <class T>
consteval std::size_t count_fields() {
  constexpr ReflectionProblem problem = reflection_problem<T>;
  static_assert(problem != ReflectionProblem::not_aggregate,
                "safestructures: this type is not an aggregate (a struct without constructors and "
                "private members): write a Codec<T> for it.");
  static_assert(problem != ReflectionProblem::tuple_like,
                "safestructures: this type has a std::tuple_size, so its members cannot be "
                "reflected: write a Codec<T> for it.");
  static_assert(problem != ReflectionProblem::base,
                "safestructures: a struct with a base class cannot be reflected: make the base a "
                "member, or write a Codec<T> for the struct.");
  static_assert(problem != ReflectionProblem::undetermined,
                "safestructures: the fields of this struct cannot be counted, because of a "
                "reference, a C array of a type without default constructor, or a large C array "
                "next to a member without default: use std::array, or write a Codec<T> for it.");
  static_assert(problem != ReflectionProblem::too_many,
                "safestructures: this struct has more fields than can be reflected, or a C array "
                "of hundreds of elements: use std::array, group the fields in nested structs, or "
                "write a Codec<T> for it.");
  static_assert(problem != ReflectionProblem::no_address,
                "safestructures: a bit-field or a reference member cannot be reflected: make it an "
                "ordinary member, or write a Codec<T> for the struct.");
  return problem == ReflectionProblem::none ? layout_of<T>.fields : 0;
}

/// A C array as the std::array of the same shape, anything else as it is.
template <class T>
struct ReturnableOf {
  using type = T;
};
template <class T, std::size_t N>
struct ReturnableOf<T[N]> {
  using type = std::array<typename ReturnableOf<T>::type, N>;
};

/// A member as an rvalue to move from; a C array moved into the std::array of the same shape.
template <class Member>
constexpr decltype(auto) returnable(Member& member) {
  if constexpr (std::is_array_v<Member>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return typename ReturnableOf<std::remove_cv_t<Member>>::type{{returnable(member[I])...}};
    }
    (std::make_index_sequence<std::extent_v<Member>>{});
  } else {
    return std::move(member);
  }
}

/// Element K in row-major order of a std::array that stands for a C array of type Array.
template <class Array, class Value>
constexpr auto& flat_element(Value& value, std::size_t k) {
  if constexpr (std::is_array_v<Array>) {
    using Row = std::remove_extent_t<Array>;
    constexpr std::size_t row = sizeof(Row) / sizeof(std::remove_all_extents_t<Array>);
    return flat_element<Row>(value[k / row], k % row);
  } else {
    return value;
  }
}

}  // namespace detail

/// A struct whose fields can be reflected: an aggregate without base classes, bit-fields and
/// reference members, with at most `max_fields` fields, each of which can be a C array of a few
/// hundred elements at most. `std::array` and other tuple-like types are not. Never fails to
/// compile for a complete type, except that an anonymous union as a member cannot be told from
/// ordinary ones, and that Boost 1.83 and later report a bit-field themselves.
template <class T>
concept ReflectableAggregate = detail::reflection_problem<std::remove_cv_t<T>>
== detail::ReflectionProblem::none;

/// The number of fields of the aggregate T. For a T that is no `ReflectableAggregate` a
/// `static_assert` says why and what to do.
template <class T>
inline constexpr std::size_t field_count = detail::count_fields<std::remove_cv_t<T>>();

/// Field I of an aggregate, by reference; const where the object or the member is.
template <std::size_t I, class T>
[[nodiscard]] constexpr auto& get_field(T& object) noexcept {
  static_assert(I < field_count<T>, "safestructures: the struct has no field of that index.");
  return detail::tied_field<I, field_count<T>>(object);
}
template <std::size_t I, class T>
void get_field(const T&& object) = delete;

/// The type of field I of T, without const. A C array stays one.
template <class T, std::size_t I>
using FieldType = std::remove_cvref_t<decltype(get_field<I>(std::declval<T&>()))>;

/// The type in which a function can return a value for field I of T: `FieldType`, or the
/// `std::array` of the same shape where the field is a C array.
template <class T, std::size_t I>
using FieldValue = typename detail::ReturnableOf<FieldType<T, I>>::type;

/// The name of field I of T, as written in the source. Valid for the whole program.
template <class T, std::size_t I>
inline constexpr std::string_view field_name = detail::MemberName<detail::MemberPointer{
    std::addressof(get_field<I>(std::as_const(detail::unbuilt<std::remove_cv_t<T>>.value)))}>::text
                                                   .view();

namespace detail {

template <class T, std::size_t... I>
consteval std::array<std::string_view, sizeof...(I)> collect_names(std::index_sequence<I...>) {
  return {field_name<T, I>...};
}

/// Which field, and which element of it, each initialiser of T is for.
template <class T>
struct Initialisers {
  std::array<std::size_t, initialisers<T> + 1> field{};
  std::array<std::size_t, initialisers<T> + 1> element{};
};

template <class T, std::size_t... I>
consteval Initialisers<T> assign_initialisers(std::index_sequence<I...>) {
  constexpr std::array<std::size_t, sizeof...(I)> lengths{
      sizeof(FieldType<T, I>) / sizeof(std::remove_all_extents_t<FieldType<T, I>>)...};
  Initialisers<T> result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::size_t k = 0; k < lengths[i]; ++k, ++at) {
      result.field[at] = i;
      result.element[at] = k;
    }
  }
  return result;
}

template <class T, class Generator, std::size_t... I>
constexpr T construct_fields(Generator& generator, std::index_sequence<I...>) {
  return T{generator.template operator()<I>()...};
}

template <class T>
inline constexpr Initialisers<T> initialisers_of =
    assign_initialisers<T>(std::make_index_sequence<field_count<T>>{});

/// The value for initialiser F: a field's own, or one element of the array made for its field.
template <class T, std::size_t F, class Generator, class Arrays>
constexpr decltype(auto) initialiser(Generator& generator, Arrays& arrays) {
  constexpr std::size_t i = initialisers_of<T>.field[F];
  constexpr std::size_t k = initialisers_of<T>.element[F];
  if constexpr (std::is_array_v<FieldType<T, i>>) {
    auto& array = std::get<i>(arrays);
    if constexpr (k == 0) array.emplace(generator.template operator()<i>());
    return std::move(flat_element<FieldType<T, i>>(*array, k));
  } else {
    return generator.template operator()<i>();
  }
}

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wmissing-braces"
#endif
/// C arrays can only be initialised element by element, so their braces are left out.
template <class T, class Generator, std::size_t... I, std::size_t... F>
constexpr T construct_flat(Generator& generator, std::index_sequence<I...>,
                           std::index_sequence<F...>) {
  struct Nothing {};
  std::tuple<std::conditional_t<std::is_array_v<FieldType<T, I>>, std::optional<FieldValue<T, I>>,
                                Nothing>...>
      arrays;
  return T{initialiser<T, F>(generator, arrays)...};
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

template <class T, std::size_t... I>
consteval bool has_array_field(std::index_sequence<I...>) {
  return (std::is_array_v<FieldType<T, I>> || ...);
}

}  // namespace detail

/// The names of all fields of T, in order of declaration. Valid for the whole program.
template <class T>
inline constexpr std::array<std::string_view, field_count<T>> field_names =
    detail::collect_names<std::remove_cv_t<T>>(std::make_index_sequence<field_count<T>>{});

/// Calls `f(std::string_view name, auto& field, std::integral_constant<std::size_t, I>)` for each
/// field of `object` in order of declaration.
template <class T, class F>
constexpr void for_each_field(T& object, F&& f) {
  constexpr std::size_t count = field_count<T>;
  [[maybe_unused]] auto fields = detail::tie_fields<count>(object);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (static_cast<void>(f(field_name<T, I>, boost::pfr::detail::sequence_tuple::get<I>(fields),
                         std::integral_constant<std::size_t, I>{})),
     ...);
  }
  (std::make_index_sequence<count>{});
}

/// Builds a T by aggregate initialisation from `generator.template operator()<I>()`, called in
/// order of declaration and returning `FieldValue<T, I>`. Fields are built in place: they may be
/// const, without default constructor, and immovable (elements of C arrays are moved). When the
/// generator throws, the fields made so far are destroyed.
template <ReflectableAggregate T, class Generator>
[[nodiscard]] constexpr T construct(Generator&& generator) {
  constexpr auto indices = std::make_index_sequence<field_count<T>>{};
  if constexpr (detail::has_array_field<T>(indices)) {
    return detail::construct_flat<T>(generator, indices,
                                     std::make_index_sequence<detail::initialisers<T>>{});
  } else {
    return detail::construct_fields<T>(generator, indices);
  }
}

}  // namespace safestructures
