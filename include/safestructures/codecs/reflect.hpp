/// \file
/// Reflection of plain aggregates: the number, names, types and values of their fields, and
/// construction from them.
///
/// field_count.hpp counts the fields; Boost.PFR gives access to them.
#pragma once

#include <boost/pfr/core.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <safestructures/codecs/field_count.hpp>
#include <safestructures/codecs/field_names.hpp>

namespace safestructures::inline v0 {

namespace detail {

/// Returns references to the N fields of `object`, as Boost.PFR's tuple.
template <std::size_t N, class T>
constexpr auto tie_fields(T& object) noexcept {
  return boost::pfr::detail::tie_as_tuple(object, boost::pfr::detail::size_t_<N>{});
}

template <std::size_t I, std::size_t N, class T>
constexpr auto& tied_field(T& object) noexcept {
  return boost::pfr::detail::sequence_tuple::get<I>(tie_fields<N>(object));
}

/// Whether the addresses of all fields are constants. A bit-field has no address, that of a
/// reference is not constant, and that of a volatile member does not convert to `const void*`.
template <class T, std::size_t N, std::size_t... I>
consteval bool have_addresses(std::index_sequence<I...>) {
  return (requires(const void* address) {
    typename MemberName<MemberPointer{std::addressof(tied_field<I, N>(unbuilt<T>.value))}>;
    address = std::addressof(tied_field<I, N>(unbuilt<T>.value));
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
                "private members): list its members in Rules<T>, or write a Codec<T> for it.");
  static_assert(problem != ReflectionProblem::tuple_like,
                "safestructures: this type has a std::tuple_size, so its members cannot be "
                "reflected: list them in Rules<T>, or write a Codec<T> for it.");
  static_assert(problem != ReflectionProblem::base,
                "safestructures: a struct with a base class cannot be reflected: make the base a "
                "member, list the members in Rules<T>, or write a Codec<T> for the struct.");
  static_assert(problem != ReflectionProblem::undetermined,
                "safestructures: the fields of this struct cannot be counted, because of a "
                "reference, a C array of a type without default constructor, or a large C array "
                "next to a member without default: use std::array, or write a Codec<T> for it.");
  static_assert(problem != ReflectionProblem::too_many,
                "safestructures: this struct has more fields than can be reflected, or a C array "
                "of hundreds of elements: use std::array, group the fields in nested structs, list "
                "them in Rules<T>, or write a Codec<T> for it.");
  static_assert(problem != ReflectionProblem::no_address,
                "safestructures: a bit-field, a reference, a volatile member, an anonymous union "
                "or a C array without size cannot be reflected: make it an ordinary member, or "
                "write a Codec<T> for the struct.");
  return problem == ReflectionProblem::none ? layout_of<T>.fields : 0;
}

/// The std::array of the same shape for a C array, any other type unchanged.
template <class T>
struct ReturnableOf {
  using type = T;
};
template <class T, std::size_t N>
struct ReturnableOf<T[N]> {
  using type = std::array<typename ReturnableOf<T>::type, N>;
};

/// Returns a member as an rvalue to move from; moves a C array into a std::array of its shape.
template <class Member>
constexpr decltype(auto) returnable(Member& member) {
  if constexpr (std::is_array_v<Member>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return typename ReturnableOf<std::remove_cv_t<Member>>::type{{returnable(member[I])...}};
    }(std::make_index_sequence<std::extent_v<Member>>{});
  } else {
    return std::move(member);
  }
}

/// Returns element K, in row-major order, of a std::array that stands for a C array of type Array.
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
/// reference members, with at most `max_fields` fields, each of which may be a C array of at most a
/// few hundred elements. `std::array` and other tuple-like types are not included. Compiles for
/// every complete type, except that an anonymous union member cannot be distinguished from ordinary
/// members, and that Boost 1.83 and later report bit-fields themselves.
template <class T>
concept ReflectableAggregate =
    detail::reflection_problem<std::remove_cv_t<T>> == detail::ReflectionProblem::none;

/// The number of fields of the aggregate T. If T is not a `ReflectableAggregate`, a `static_assert`
/// says why and what to do.
template <class T>
inline constexpr std::size_t field_count = detail::count_fields<std::remove_cv_t<T>>();

/// Returns field I of an aggregate by reference; const if the object or the member is.
template <std::size_t I, class T>
[[nodiscard]] constexpr auto& get_field(T& object) noexcept {
  static_assert(I < field_count<T>, "safestructures: the struct has no field of that index.");
  return detail::tied_field<I, field_count<T>>(object);
}
template <std::size_t I, class T>
void get_field(const T&& object) = delete;

/// The type of field I of T, without const. C arrays stay C arrays.
template <class T, std::size_t I>
using FieldType = std::remove_cvref_t<decltype(get_field<I>(std::declval<T&>()))>;

/// The type in which a function can return a value for field I of T: `FieldType`, or the
/// `std::array` of the same shape if the field is a C array.
template <class T, std::size_t I>
using FieldValue = typename detail::ReturnableOf<FieldType<T, I>>::type;

/// The name of field I of T, as written in the source. Valid for the whole program.
template <class T, std::size_t I>
inline constexpr std::string_view field_name =
    detail::MemberName<detail::MemberPointer{std::addressof(
        get_field<I>(std::as_const(detail::unbuilt<std::remove_cv_t<T>>.value)))}>::text.view();

namespace detail {

template <class T, std::size_t... I>
consteval std::array<std::string_view, sizeof...(I)> collect_names(std::index_sequence<I...>) {
  return {field_name<T, I>...};
}

/// The field, and the element of it, that each initialiser of T is for.
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
  return T { generator.template operator()<I>()... };
}

template <class T>
inline constexpr Initialisers<T> initialisers_of =
    assign_initialisers<T>(std::make_index_sequence<field_count<T>>{});

/// Returns the value for initialiser F: that of a field, or one element of its field's array.
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
/// C arrays can only be initialised element by element, so their braces are omitted.
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
  }(std::make_index_sequence<count>{});
}

/// Builds a T by aggregate initialisation from `generator.template operator()<I>()`, which is
/// called in order of declaration and returns `FieldValue<T, I>`. Fields are built in place: they
/// may be const, not default-constructible, and immovable (elements of C arrays are moved). If the
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

}  // namespace safestructures::inline v0
