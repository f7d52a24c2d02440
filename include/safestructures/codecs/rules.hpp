/// \file
/// Rules by which a type controls how it is saved: its name and version, and which fields are
/// renamed, skipped or optional. All field names in them are checked at compile time.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <safestructures/codecs/field_names.hpp>
#include <safestructures/codecs/members.hpp>
#include <safestructures/codecs/reflect.hpp>

namespace safestructures::inline v0 {

class Value;

/// Specialise this for your own types, with any combination of these members, before the type is
/// first saved or loaded:
///
/// ```cpp
/// template <> struct safestructures::Rules<Layer> {
///   static constexpr std::string_view name = "acme.Layer";     // the class name in the file
///   static constexpr unsigned version = 2;                     // the class version
///   static constexpr bool columns = true;                      // vectors as columns.hpp
///   static constexpr auto fields = ss::fields(
///       ss::field("w").rename("weight").alias("kernel"),       // name in the file, old names
///       ss::field("cache").skip(),                             // neither saved nor loaded
///       ss::field("bias").optional());                         // may be missing in the file
///   static void migrate(ss::Value& value, unsigned from_version);
/// };
/// ```
///
/// A class with private members, bases or constructors is saved as the struct of the members that
/// its rules list; so is an aggregate with more fields than can be reflected. It is loaded into a
/// default T. A class with private members must make its rules a friend:
///
/// ```cpp
/// class Account {
///   std::string owner_;
///   std::int64_t cents_ = 0;
///   friend struct safestructures::Rules<Account>;
/// };
/// template <> struct safestructures::Rules<Account> {
///   static constexpr auto members = std::tuple{ss::member("owner", &Account::owner_),
///                                              ss::member("cents", &Account::cents_).optional()};
/// };
/// ```
///
/// To put the members of a base first: `std::tuple_cat(ss::Rules<Base>::members, std::tuple{...})`.
///
/// Without a rule, a field has its C++ name in the file and is required, except that a missing
/// `std::optional` field is loaded as `std::nullopt`. `migrate` is passed the value of an older
/// class version and changes it to what the present version would have written.
template <class T>
struct Rules {};

/// Starts a rule for the field with that C++ name.
[[nodiscard]] constexpr FieldRule field(std::string_view name) {
  return {.name = name, .file_name = name};
}

/// Returns the rules of the fields that need one, for `Rules<T>::fields`.
template <std::same_as<FieldRule>... Rule>
[[nodiscard]] constexpr std::array<FieldRule, sizeof...(Rule)> fields(const Rule&... rules) {
  return {rules...};
}

/// The properties of a struct's field, from its rule or by default.
struct FieldInfo {
  std::string_view name;       ///< The name in C++.
  std::string_view file_name;  ///< The name in the file.
  bool is_skipped = false;     ///< Whether it is neither saved nor loaded.
  bool is_optional = false;    ///< Whether it may be missing in the file.
  // Not a std::span member: GCC 12 cannot read one in a constant array of these.
  const std::string_view* first_alias = nullptr;  ///< See `aliases`.
  std::size_t alias_count = 0;                    ///< See `aliases`.

  /// Other names that are accepted when loading. Valid for the whole program.
  [[nodiscard]] constexpr std::span<const std::string_view> aliases() const {
    return {first_alias, alias_count};
  }
  /// Whether the name is the field's name in the file or one of its aliases.
  [[nodiscard]] constexpr bool answers_to(std::string_view given) const {
    if (given == file_name) return true;
    for (const std::string_view alias : aliases())
      if (given == alias) return true;
    return false;
  }
};

namespace detail {

template <class T>
inline constexpr bool is_rule_array = false;
template <std::size_t N>
inline constexpr bool is_rule_array<std::array<FieldRule, N>> = true;

template <class T>
concept NamesFieldRules = requires { Rules<T>::fields; };

template <class T>
concept HasFieldRules =
    NamesFieldRules<T> && is_rule_array<std::remove_cvref_t<decltype(Rules<T>::fields)>>;

/// Returns the rules of T's members, or of its fields that have one. They stay in `Rules<T>`.
template <class T>
consteval auto rules_of_fields() {
  static_assert(!NamesFieldRules<T> || HasFieldRules<T>,
                "safestructures: write Rules<T>::fields as `static constexpr auto fields = "
                "ss::fields(ss::field(\"w\").rename(\"weight\"), ...)`.");
  if constexpr (ListsMembers<T>) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<const FieldRule*, sizeof...(I)>{&std::get<I>(Rules<T>::members).rule...};
    }(std::make_index_sequence<struct_size<T>>{});
  } else if constexpr (HasFieldRules<T>) {
    std::array<const FieldRule*, std::tuple_size_v<std::remove_cvref_t<decltype(Rules<T>::fields)>>>
        rules{};
    for (std::size_t i = 0; i < rules.size(); ++i) rules[i] = &Rules<T>::fields[i];
    return rules;
  } else {
    return std::array<const FieldRule*, 0>{};
  }
}

/// Returns the C++ names of T's fields, or the names that its rules give to its members.
template <class T>
consteval std::array<std::string_view, struct_size<T>> names_of_fields() {
  if constexpr (ListsMembers<T>) {
    const auto rules = rules_of_fields<T>();
    std::array<std::string_view, struct_size<T>> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = rules[i]->name;
    return names;
  } else {
    return field_names<T>;
  }
}

/// Returned by the checks below if no rule is wrong, instead of the index of one.
inline constexpr std::size_t none = static_cast<std::size_t>(-1);

template <class T>
consteval std::size_t unknown_field_rule() {
  if constexpr (HasFieldRules<T> && !ListsMembers<T>) {
    for (std::size_t i = 0; i < Rules<T>::fields.size(); ++i) {
      bool known = false;
      for (const std::string_view name : field_names<T>)
        known = known || name == Rules<T>::fields[i].name;
      if (!known) return i;
    }
  }
  return none;
}

template <class T>
consteval std::size_t repeated_field_rule() {
  const auto rules = rules_of_fields<T>();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (rules[i]->name == rules[j]->name) return i;
    }
  }
  return none;
}

template <class T>
consteval std::size_t overlong_field_rule() {
  const auto rules = rules_of_fields<T>();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i]->alias_count > max_aliases) return i;
  }
  return none;
}

/// Requires that all rules are for known fields and have no more aliases than fit.
template <class T>
consteval std::array<FieldInfo, struct_size<T>> collect_field_info() {
  const auto names = names_of_fields<T>();
  const auto rules = rules_of_fields<T>();
  std::array<FieldInfo, struct_size<T>> result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].name = names[i];
    result[i].file_name = names[i];
    for (const FieldRule* rule : rules) {
      if (rule->name != result[i].name) continue;
      result[i].file_name = rule->file_name;
      result[i].first_alias = rule->aliases.data();
      result[i].alias_count = rule->alias_count;
      result[i].is_skipped = rule->is_skipped;
      result[i].is_optional = rule->is_optional;
    }
  }
  return result;
}

template <std::size_t N>
consteval bool has_empty_name(const std::array<FieldInfo, N>& infos) {
  for (const FieldInfo& info : infos) {
    if (info.answers_to("")) return true;
  }
  return false;
}

template <std::size_t N>
consteval bool has_repeated_file_name(const std::array<FieldInfo, N>& infos) {
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (infos[i].is_skipped || infos[j].is_skipped) continue;
      if (infos[i].file_name == infos[j].file_name) return true;
    }
  }
  return false;
}

/// Whether some name would find two fields, or one field twice.
template <std::size_t N>
consteval bool has_repeated_alias(const std::array<FieldInfo, N>& infos) {
  for (std::size_t i = 0; i < N; ++i) {
    if (infos[i].is_skipped) continue;
    for (std::size_t a = 0; a < infos[i].alias_count; ++a) {
      const std::string_view alias = infos[i].first_alias[a];
      if (alias == infos[i].file_name) return true;
      for (std::size_t b = 0; b < a; ++b) {
        if (alias == infos[i].first_alias[b]) return true;
      }
      for (std::size_t j = 0; j < N; ++j) {
        if (j != i && !infos[j].is_skipped && infos[j].answers_to(alias)) return true;
      }
    }
  }
  return false;
}

template <class T>
consteval std::array<FieldInfo, struct_size<T>> checked_rules() {
  constexpr std::size_t unknown = unknown_field_rule<T>();
  constexpr std::size_t overlong = overlong_field_rule<T>();
  static_assert(unknown == none,
                "safestructures: Rules<T>::fields has a rule for a field that T does not have: "
                "ss::field(...) takes the field's name in C++.");
  constexpr bool repeats = repeated_field_rule<T>() != none;
  static_assert(!repeats || !ListsMembers<T>,
                "safestructures: Rules<T>::members has two members of one name: each needs its "
                "own.");
  static_assert(!repeats || ListsMembers<T>,
                "safestructures: Rules<T>::fields has two rules for one field: join them, as in "
                "ss::field(\"w\").rename(\"weight\").optional().");
  static_assert(overlong == none,
                "safestructures: Rules<T> gives a field more than max_aliases aliases: "
                "rename in Rules<T>::migrate instead.");
  if constexpr (unknown == none && overlong == none && !repeats) {
    constexpr auto infos = collect_field_info<T>();
    constexpr bool repeated = has_repeated_file_name(infos);
    static_assert(!has_empty_name(infos),
                  "safestructures: Rules<T> has an empty name or alias: a field needs a "
                  "name in the file.");
    static_assert(!repeated,
                  "safestructures: Rules<T> gives two fields of T the same name in the "
                  "file: rename one of them.");
    static_assert(repeated || !has_repeated_alias(infos),
                  "safestructures: an alias in Rules<T> is already the name or an alias of "
                  "a field of T: each name in the file must lead to one field, once.");
    return infos;
  } else {
    return {};
  }
}

/// Returns the properties of fields without rules.
template <std::size_t N>
consteval std::array<FieldInfo, N> plain_field_info(const std::array<std::string_view, N>& names) {
  std::array<FieldInfo, N> infos{};
  for (std::size_t i = 0; i < N; ++i) infos[i] = {.name = names[i], .file_name = names[i]};
  return infos;
}

template <class T>
consteval std::array<FieldInfo, struct_size<T>> checked_field_info() {
  if constexpr (!NamesFieldRules<T> && !ListsMembers<T>) return plain_field_info(field_names<T>);
  else return checked_rules<T>();
}

template <class T>
concept NamesItsMigration = requires { &Rules<T>::migrate; };

template <class T>
concept Migrates = requires(Value& value, unsigned from_version) {
  { Rules<T>::migrate(value, from_version) } -> std::same_as<void>;
};

template <class T>
consteval std::string_view find_class_name() {
  if constexpr (requires { Rules<T>::name; }) {
    static_assert(std::convertible_to<decltype(Rules<T>::name), std::string_view>,
                  "safestructures: write Rules<T>::name as `static constexpr std::string_view name "
                  "= \"...\"`.");
    static_assert(!std::string_view(Rules<T>::name).empty(),
                  "safestructures: Rules<T>::name is empty: leave it out to have the name of the "
                  "type.");
    return Rules<T>::name;
  } else {
    return TypeName<T>::text.view();
  }
}

template <class T>
consteval unsigned find_class_version() {
  if constexpr (requires { Rules<T>::version; }) {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(Rules<T>::version)>, unsigned>,
                  "safestructures: write Rules<T>::version as `static constexpr unsigned version = "
                  "1`.");
    return static_cast<unsigned>(Rules<T>::version);
  } else {
    return 0;
  }
}

template <class T>
consteval bool find_migration() {
  static_assert(!NamesItsMigration<T> || Migrates<T>,
                "safestructures: write Rules<T>::migrate as `static void migrate(ss::Value& value, "
                "unsigned from_version)`.");
  return Migrates<T>;
}

}  // namespace detail

/// The properties of the fields of T, an aggregate or a class whose rules list its members: that of
/// field I is `field_info<T>[I]`. Valid for the whole program.
template <class T>
inline constexpr std::array<FieldInfo, detail::struct_size<T>> field_info =
    detail::checked_field_info<std::remove_cv_t<T>>();

/// The class name of T in the file: `Rules<T>::name`, or by default the name of the type without
/// namespaces and template arguments.
template <class T>
inline constexpr std::string_view class_name = detail::find_class_name<std::remove_cv_t<T>>();

/// The class version of T: `Rules<T>::version`, or by default 0, which is not written.
template <class T>
inline constexpr unsigned class_version = detail::find_class_version<std::remove_cv_t<T>>();

/// Whether `Rules<T>::migrate(Value&, unsigned from_version)` exists.
template <class T>
inline constexpr bool has_migrate = detail::find_migration<std::remove_cv_t<T>>();

/// Returns the value of field I in a default `T{}`, including its default member initialiser: for
/// fields that are skipped or missing in the file.
template <ReflectableAggregate T, std::size_t I>
[[nodiscard]] constexpr FieldValue<T, I> default_value() {
  using Member = std::remove_all_extents_t<
      std::remove_reference_t<decltype(get_field<I>(std::declval<T&>()))>>;
  constexpr bool has_default = detail::takes<T, 0>;
  constexpr bool can_move = std::is_constructible_v<std::remove_cv_t<Member>, Member>;
  static_assert(has_default,
                "safestructures: a field that is skipped or optional gets its value from a default "
                "T{}, but T has a field without default: give that one a default, or make this "
                "field required.");
  static_assert(can_move,
                "safestructures: a field that is skipped or optional gets its value from a default "
                "T{}, but the field cannot be moved: write a Codec<T> for the struct.");
  if constexpr (has_default && can_move) {
    T object{};
    return detail::returnable(get_field<I>(object));
  }
}

}  // namespace safestructures::inline v0
