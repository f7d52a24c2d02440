/// \file
/// The fields of a struct, which come from the reflection of an aggregate or from the list of
/// members in `Rules<T>::members`: one way to count, name and access both.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <safestructures/codecs/fielded.hpp>
#include <safestructures/codecs/reflect.hpp>

namespace safestructures::inline v0 {

/// The maximum number of aliases of one field.
inline constexpr std::size_t max_aliases = 8;

/// The rule of a field; made by `field`, completed by its member functions, listed in `fields`.
struct FieldRule {
  std::string_view name;       ///< The field's name in C++.
  std::string_view file_name;  ///< The name in the file; the same unless renamed.
  std::array<std::string_view, max_aliases> aliases{};  ///< Other names accepted when loading.
  std::size_t alias_count = 0;  ///< The number of aliases given; more than fit is an error.
  bool is_skipped = false;      ///< Whether it is neither saved nor loaded.
  bool is_optional = false;     ///< Whether it may be missing in the file.

  /// Gives the field another name in the file.
  [[nodiscard]] constexpr FieldRule rename(std::string_view new_name) const {
    FieldRule rule = *this;
    rule.file_name = new_name;
    return rule;
  }
  /// Makes loading also accept `old_name` for the field.
  [[nodiscard]] constexpr FieldRule alias(std::string_view old_name) const {
    FieldRule rule = *this;
    if (alias_count < max_aliases) rule.aliases[alias_count] = old_name;
    ++rule.alias_count;
    return rule;
  }
  /// Makes the field neither saved nor loaded: it has the value of a default T after loading.
  [[nodiscard]] constexpr FieldRule skip() const {
    FieldRule rule = *this;
    rule.is_skipped = true;
    return rule;
  }
  /// Lets the field be missing in the file: it then has the value of a default T.
  [[nodiscard]] constexpr FieldRule optional() const {
    FieldRule rule = *this;
    rule.is_optional = true;
    return rule;
  }
};

/// A member of a class with the rule of its field; made by `member`, completed by its functions.
template <class Class, class Type>
struct Member {
  FieldRule rule;         ///< The name under which it is saved, and other rules.
  Type Class::* pointer;  ///< The pointer to the member.

  /// See `FieldRule`.
  /// @{
  [[nodiscard]] constexpr Member rename(std::string_view new_name) const {
    return {rule.rename(new_name), pointer};
  }
  [[nodiscard]] constexpr Member alias(std::string_view old_name) const {
    return {rule.alias(old_name), pointer};
  }
  [[nodiscard]] constexpr Member skip() const { return {rule.skip(), pointer}; }
  [[nodiscard]] constexpr Member optional() const { return {rule.optional(), pointer}; }
  /// @}
};

/// Returns the entry of `Rules<T>::members` for a member of T or of its bases, saved under `name`.
template <class Class, class Type>
[[nodiscard]] constexpr Member<Class, Type> member(std::string_view name, Type Class::* pointer) {
  static_assert(!std::is_function_v<Type>,
                "safestructures: ss::member takes a pointer to a data member, not to a function: "
                "write a Codec<T> for a class that is saved through its functions.");
  return {{.name = name, .file_name = name}, pointer};
}

namespace detail {

template <class T>
inline constexpr bool is_member_tuple = false;
template <class... Class, class... Type>
inline constexpr bool is_member_tuple<std::tuple<Member<Class, Type>...>> = true;

template <class T, class Members>
inline constexpr bool has_own_members = false;
template <class T, class... Class, class... Type>
inline constexpr bool has_own_members<T, std::tuple<Member<Class, Type>...>> =
    (std::is_convertible_v<Type Class::*, Type T::*> && ...);

template <class T>
using MembersOf = std::remove_cvref_t<decltype(Rules<T>::members)>;

template <class T>
consteval std::size_t count_members() {
  constexpr bool is_list = is_member_tuple<MembersOf<T>>;
  static_assert(is_list,
                "safestructures: write Rules<T>::members as `static constexpr auto members = "
                "std::tuple{ss::member(\"name\", &T::name_), ...}`.");
  if constexpr (is_list) {
    constexpr bool own = has_own_members<T, MembersOf<T>>;
    static_assert(own,
                  "safestructures: Rules<T>::members has a member of a class that is neither T nor "
                  "a public base of it.");
    static_assert(
        !requires { Rules<T>::fields; },
        "safestructures: Rules<T> has both members and fields: write the rule of a field "
        "at its member, as in ss::member(\"w\", &T::w_).rename(\"weight\").");
    return own ? std::tuple_size_v<MembersOf<T>> : 0;
  } else {
    return 0;
  }
}

template <class T>
consteval std::size_t count_struct_fields() {
  if constexpr (ListsMembers<T>) return count_members<T>();
  else return field_count<T>;
}

/// The number of fields of a type that is saved as a struct.
template <class T>
inline constexpr std::size_t struct_size = count_struct_fields<std::remove_cv_t<T>>();

/// Returns field I by reference; const if the object or the member is.
template <std::size_t I, class T>
constexpr auto& struct_field(T& object) noexcept {
  using Class = std::remove_cv_t<T>;
  if constexpr (ListsMembers<Class>) return object.*(std::get<I>(Rules<Class>::members).pointer);
  else return get_field<I>(object);
}

/// The declared type of field I.
template <class T, std::size_t I>
using StructField = std::remove_reference_t<decltype(struct_field<I>(std::declval<T&>()))>;

/// The declared types of all fields in order, without const. Code that a struct needs for its
/// fields is instantiated once per field type, by expanding packs: a function for each field of
/// each struct took three quarters of the compile time of 50 structs with 10 fields each.
template <class... Field>
struct FieldTypes {};

template <class List>
struct FieldTypesOf;
template <class... Field>
struct FieldTypesOf<boost::pfr::detail::sequence_tuple::tuple<Field&...>> {
  using type = FieldTypes<std::remove_const_t<Field>...>;
};
template <class... Class, class... Type>
struct FieldTypesOf<std::tuple<Member<Class, Type>...>> {
  using type = FieldTypes<std::remove_const_t<Type>...>;
};

template <class T>
consteval auto list_field_types() {
  if constexpr (ListsMembers<T>) return typename FieldTypesOf<MembersOf<T>>::type{};
  else
    return typename FieldTypesOf<decltype(tie_fields<struct_size<T>>(std::declval<T&>()))>::type{};
}

template <class T>
using StructFieldTypes = decltype(list_field_types<T>());

/// Returns the addresses of all fields in order.
template <class T>
std::array<const void*, struct_size<T>> field_addresses(const T& object) {
  if constexpr (ListsMembers<T>) {
    return std::apply(
        [&](const auto&... member) {
          return std::array<const void*, sizeof...(member)>{
              std::addressof(object.*(member.pointer))...};
        },
        Rules<T>::members);
  } else {
    [[maybe_unused]] const auto tied = tie_fields<struct_size<T>>(object);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<const void*, sizeof...(I)>{
          std::addressof(boost::pfr::detail::sequence_tuple::get<I>(tied))...};
    }(std::make_index_sequence<struct_size<T>>{});
  }
}

/// Moves a loaded value into a member; a C array is filled from a std::array of the same shape.
template <class Field, class Loaded>
constexpr void assign_field(Field& field, Loaded&& loaded) {
  if constexpr (std::is_array_v<Field>) {
    for (std::size_t i = 0; i < std::extent_v<Field>; ++i)
      assign_field(field[i], std::move(loaded[i]));
  } else {
    field = std::forward<Loaded>(loaded);
  }
}

}  // namespace detail
}  // namespace safestructures::inline v0
