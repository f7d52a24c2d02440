/// \file
/// Enums of modules: variants by name, as Rust writes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <safestructures/burn/param.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {
namespace burn {

/// A name as a template argument.
template <std::size_t N>
struct Name {
  /// Takes a literal, without its terminating zero.
  consteval Name(const char (&text)[N]) { std::copy_n(text, N, characters); }
  /// Returns the text; valid as long as this.
  [[nodiscard]] constexpr std::string_view view() const { return {characters, N - 1}; }
  char characters[N] = {};  ///< Public only because template arguments must be so.
};

/// A variant and its content. A variant without content, or with a module without parameters, holds
/// a `Constant`.
template <Name VariantName, class T = Constant>
struct Case {
  static constexpr std::string_view name = VariantName.view();  ///< The name in Rust.
  using Type = T;                                               ///< The type of the content.
};

/// A Rust enum, with its variants in Rust's order:
///
///     using Layer = burn::Enum<burn::Case<"Lin", burn::Linear>, burn::Case<"Act">>;
///     Layer layer = Layer::make<"Lin">(linear);
///     if (const burn::Linear* linear = layer.get_if<"Lin">()) ...
///
/// In a record it is `{"Lin": {...}}`; in bincode, the index of the variant followed by its
/// content.
template <class... Cases>
struct Enum {
  std::variant<typename Cases::Type...> value;  ///< The content, as one of the Cases.

  /// The names of all Cases, in order.
  static constexpr std::array<std::string_view, sizeof...(Cases)> names{Cases::name...};

  /// The position of the Case of that name; `names.size()` if there is none.
  template <Name VariantName>
  static constexpr std::size_t index =
      static_cast<std::size_t>(std::ranges::find(names, VariantName.view()) - names.begin());

  /// Returns an enum that holds the variant of that name, made from `arguments`.
  template <Name VariantName, class... Arguments>
  [[nodiscard]] static Enum make(Arguments&&... arguments) {
    static_assert(index<VariantName> < names.size(), "burn::Enum has no variant of that name");
    return {decltype(value)(std::in_place_index<index<VariantName>>,
                            std::forward<Arguments>(arguments)...)};
  }
  /// Returns the content of the variant of that name; null if the enum holds another one.
  template <Name VariantName>
  [[nodiscard]] auto* get_if() noexcept {
    return std::get_if<index<VariantName>>(&value);
  }
  /// The same, for reading.
  template <Name VariantName>
  [[nodiscard]] const auto* get_if() const noexcept {
    return std::get_if<index<VariantName>>(&value);
  }
  /// Returns the name of the variant it holds.
  [[nodiscard]] std::string_view name() const { return names.at(value.index()); }
};

}  // namespace burn

namespace detail {

struct VariantOfRecord {
  std::size_t index;
  const Value* value;
};
/// Returns the variant that `{"Name": value}` or `"Name"` stands for.
/// \throws Error `type_mismatch`; `out_of_range` for a name that is not in `names`
SAFESTRUCTURES_API VariantOfRecord find_variant(const Value& value,
                                                std::span<const std::string_view> names,
                                                const Decoder& decoder);

}  // namespace detail

template <class... Cases>
struct Codec<burn::Enum<Cases...>> {
  using Enum = burn::Enum<Cases...>;
  static constexpr KindSet kinds = Kind::dict;
  static void describe_type(TypeDescriber& type) {
    type.record<std::string>();
    (type.field<typename Cases::Type>(Cases::name, {.is_optional = true}), ...);
    type.mark(burn::enum_mark);
  }
  static Value encode(const Enum& object, Encoder& encoder) {
    Value value = Value::dict();
    std::visit(
        [&](const auto& held) {
          value.insert(Value(object.name()), encoder.encode_at(object.name(), held));
        },
        object.value);
    return value;
  }
  static Enum decode(const Value& value, Decoder& decoder) {
    return decode_variant<0>(detail::find_variant(value, Enum::names, decoder), decoder);
  }

 private:
  template <std::size_t I>
  static Enum decode_variant(const detail::VariantOfRecord& found, Decoder& decoder) {
    if constexpr (I + 1 < sizeof...(Cases))
      if (found.index != I) return decode_variant<I + 1>(found, decoder);
    using Held = std::variant_alternative_t<I, decltype(Enum::value)>;
    return {decltype(Enum::value)(std::in_place_index<I>,
                                  decoder.decode_at<Held>(Enum::names[I], *found.value))};
  }
};

}  // namespace safestructures::inline v0
