/// \file
/// Codec of enums: saved by name, loaded by name or by the number of a named value.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/codecs/field_names.hpp>
#include <safestructures/codecs/scalars.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {

/// The names of an enum's values. The library reads them from what the compiler prints, for values
/// from -128 to 127 (0 to 255 for unsigned types); specialise this for an enum with other values,
/// or to choose the names in files:
///
///     template <> struct safestructures::EnumNames<Color> {
///       static constexpr std::pair<Color, std::string_view> values[] = {{Color::red, "red"}};
///     };
///
/// Saving or loading a value without a name is an Error `out_of_range`. If all numbers are valid,
/// such as sums of flags, declare it here (with or without `values`); those without a name are then
/// saved as numbers.
///
///     template <> struct safestructures::EnumNames<Flags> {
///       static constexpr bool any_number = true;
///     };
template <class E>
struct EnumNames;

namespace detail {

/// The names of one enum, by number and by name.
class SAFESTRUCTURES_API EnumTable {
 public:
  using Names = std::vector<std::pair<std::int64_t, std::string>>;

  /// Which numbers without a name are valid.
  enum class Numbers : std::uint8_t {
    named,  ///< none
    bits,   ///< those that fit the named values' bits (no fixed underlying type)
    all,    ///< all of the underlying type
  };

  EnumTable(Names names, Numbers numbers);
  /// Takes the names from `__PRETTY_FUNCTION__` of a function whose last template argument is the
  /// pack of the values from `first` on.
  EnumTable(std::string_view pretty_function, std::int64_t first, Numbers numbers);

  /// Describes the enum with that name and underlying type.
  void describe_type(TypeDescriber& type, std::string_view name,
                     TypeDescriber::Node& underlying) const;
  /// Returns the name as a str, or the number of a value without one. \throws Error `out_of_range`
  [[nodiscard]] Value encode(std::int64_t number, const Encoder& encoder) const;
  /// Returns the name of a number; null if it has none.
  [[nodiscard]] const std::string* name_of(std::int64_t number) const noexcept;
  /// Returns the number of a name.
  [[nodiscard]] std::optional<std::int64_t> number_of(std::string_view name) const noexcept;
  /// Returns the number of a name. \throws Error `out_of_range` for an unknown name; lists those
  /// that exist
  [[nodiscard]] std::int64_t decode_name(const Value& value, const Decoder& decoder) const;
  /// Returns the number if it is a value of the enum. \throws Error `out_of_range`
  [[nodiscard]] std::int64_t checked(std::int64_t number, const Walker& walker) const;
  /// The same for numbers that are too large to have a name.
  [[nodiscard]] std::uint64_t checked_large(std::uint64_t number, const Walker& walker) const;

 private:
  [[nodiscard]] std::vector<std::string_view> all_names() const;
  [[noreturn]] void nameless(const std::string& number, const Walker& walker) const;

  Names names_;
  Numbers numbers_;
  std::int64_t lowest_;
  std::int64_t highest_;
};

// Clang 16 to 19 refuse other values than these with an error that no requires-expression can ask
// about, but that can be turned off; then such values have no names.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wenum-constexpr-conversion"
#endif

/// Whether the enum can have that value in a constant expression. An enum without a fixed
/// underlying type has only the values that the bits of its largest one can hold.
template <class E, auto Number>
concept HasEnumValue = requires { typename std::integral_constant<E, static_cast<E>(Number)>; };

template <class E>
consteval int first_enum_number() {
  using Underlying = std::underlying_type_t<E>;
  if constexpr (std::is_unsigned_v<Underlying>) return 0;
  else if constexpr (HasEnumValue<E, -128>) return -128;
  else if constexpr (HasEnumValue<E, -64>) return -64;
  else if constexpr (HasEnumValue<E, -16>) return -16;
  else if constexpr (HasEnumValue<E, -4>) return -4;
  else if constexpr (HasEnumValue<E, -1>) return -1;
  else return 0;
}

template <class E>
consteval int last_enum_number() {
  using Underlying = std::underlying_type_t<E>;
  if constexpr (std::is_same_v<Underlying, bool>) return 1;
  else if constexpr (std::is_unsigned_v<Underlying> && HasEnumValue<E, 255>) return 255;
  else if constexpr (HasEnumValue<E, 127>) return 127;
  else if constexpr (HasEnumValue<E, 63>) return 63;
  else if constexpr (HasEnumValue<E, 31>) return 31;
  else if constexpr (HasEnumValue<E, 15>) return 15;
  else if constexpr (HasEnumValue<E, 7>) return 7;
  else if constexpr (HasEnumValue<E, 3>) return 3;
  else if constexpr (HasEnumValue<E, 1>) return 1;
  else return 0;
}

// One function for all values: one instantiation per value would cost 256.
template <class E, E... Values>
constexpr auto enum_values_text() {
  return std::string_view(__PRETTY_FUNCTION__);
}

template <class E, int First, int... I>
constexpr auto enum_text(std::integer_sequence<int, I...>) {
  // Not static_cast: GCC warns about numbers outside the range of an enum without a fixed
  // underlying type.
  return enum_values_text<E,
                          std::bit_cast<E>(static_cast<std::underlying_type_t<E>>(First + I))...>();
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <class E>
consteval EnumTable::Numbers enum_numbers() {
  if constexpr (requires { requires EnumNames<E>::any_number; })
    // Only an enum with a fixed underlying type can be initialised from a number.
    return requires { E{0}; } ? EnumTable::Numbers::all : EnumTable::Numbers::bits;
  else return EnumTable::Numbers::named;
}

template <class E>
const EnumTable& enum_table() {
  // Never destroyed: destructors of static objects may save and load.
  if constexpr (requires { EnumNames<E>::values; }) {
    static const EnumTable& table = *new EnumTable(
        [] {
          EnumTable::Names names;
          for (const auto& [value, name] : EnumNames<E>::values)
            names.emplace_back(static_cast<std::int64_t>(value), std::string(name));
          return names;
        }(),
        enum_numbers<E>());
    return table;
  } else {
    constexpr int first = first_enum_number<E>();
    constexpr int count = last_enum_number<E>() - first + 1;
    static const EnumTable& table = *new EnumTable(
        enum_text<E, first>(std::make_integer_sequence<int, count>{}), first, enum_numbers<E>());
    return table;
  }
}

template <class T>
concept Enum = std::is_enum_v<T> && !std::is_same_v<T, std::byte>;

}  // namespace detail

/// An enum as the name of its value, a str. A number without a name is an Error `out_of_range`, or
/// an int if `EnumNames<T>::any_number` is set; for an enum without a fixed underlying type, only
/// the numbers that the bits of its named values can hold.
template <detail::Enum T>
struct Codec<T> {
  static constexpr KindSet kinds = KindSet(Kind::string) | Kind::integer;
  static void describe_type(TypeDescriber& type) {
    detail::enum_table<T>().describe_type(type, detail::TypeName<T>::text.view(),
                                          TypeDescriber::node<std::underlying_type_t<T>>());
  }
  static Value encode(T value, Encoder& encoder) {
    using Underlying = std::underlying_type_t<T>;
    const auto number = static_cast<Underlying>(value);
    const detail::EnumTable& table = detail::enum_table<T>();
    if constexpr (std::is_unsigned_v<Underlying> && sizeof(Underlying) == 8) {
      if (std::cmp_greater(number, (std::numeric_limits<std::int64_t>::max)()))
        return Value(table.checked_large(number, encoder));
    }
    return table.encode(static_cast<std::int64_t>(number), encoder);
  }
  static T decode(const Value& value, Decoder& decoder) {
    using Underlying = std::underlying_type_t<T>;
    using Bounds = std::numeric_limits<Underlying>;
    const detail::EnumTable& table = detail::enum_table<T>();
    if (value.kind() != Kind::integer) return static_cast<T>(table.decode_name(value, decoder));
    const auto checked = [&](std::integral auto number) {
      if (std::cmp_greater(number, (std::numeric_limits<std::int64_t>::max)()))
        static_cast<void>(table.checked_large(static_cast<std::uint64_t>(number), decoder));
      else static_cast<void>(table.checked(static_cast<std::int64_t>(number), decoder));
      return static_cast<T>(number);
    };
    if constexpr (std::is_signed_v<Underlying>)
      return checked(detail::decode_signed(value, decoder, (Bounds::min)(), (Bounds::max)()));
    else return checked(detail::decode_unsigned(value, decoder, (Bounds::max)()));
  }
};

}  // namespace safestructures::inline v0
