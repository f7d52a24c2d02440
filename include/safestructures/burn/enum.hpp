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
  /// From a literal, whose final zero is left out.
  consteval Name(const char (&text)[N]) { std::copy_n(text, N, characters); }
  /// The text; valid as long as this.
  [[nodiscard]] constexpr std::string_view view() const { return {characters, N - 1}; }
  char characters[N] = {};  ///< Public only because template arguments must be so.
};

/// A variant and what it holds; nothing, or a module without parameters, is a `Constant`.
template <Name VariantName, class T = Constant>
struct Case {
  static constexpr std::string_view name = VariantName.view();  ///< As in Rust.
  using Type = T;                                               ///< What the variant holds.
};

/// A Rust enum, its variants in Rust's order:
///
///     using Layer = burn::Enum<burn::Case<"Lin", burn::Linear>, burn::Case<"Act">>;
///     Layer layer = Layer::make<"Lin">(linear);
///     if (const burn::Linear* linear = layer.get_if<"Lin">()) ...
///
/// In a record it is `{"Lin": {...}}`, and in bincode the index of the variant and what it holds.
template <class... Cases>
struct Enum {
  std::variant<typename Cases::Type...> value;  ///< What it holds, and as which of the Cases.

  /// The names of all Cases, in order.
  static constexpr std::array<std::string_view, sizeof...(Cases)> names{Cases::name...};

  /// The position of the Case of that name; `names.size()` where there is none.
  template <Name VariantName>
  static constexpr std::size_t index =
      static_cast<std::size_t>(std::ranges::find(names, VariantName.view()) - names.begin());

  /// The variant of that name.
  template <Name VariantName, class... Arguments>
  [[nodiscard]] static Enum make(Arguments&&... arguments) {
    static_assert(index<VariantName> < names.size(), "burn::Enum has no variant of that name");
    return {decltype(value)(std::in_place_index<index<VariantName>>,
                            std::forward<Arguments>(arguments)...)};
  }
  /// What the variant of that name holds; null where it is another.
  template <Name VariantName>
  [[nodiscard]] auto* get_if() noexcept {
    return std::get_if<index<VariantName>>(&value);
  }
  /// The same, for reading.
  template <Name VariantName>
  [[nodiscard]] const auto* get_if() const noexcept {
    return std::get_if<index<VariantName>>(&value);
  }
  /// The name of the variant.
  [[nodiscard]] std::string_view name() const { return names.at(value.index()); }
};

}  // namespace burn

namespace detail {

struct VariantOfRecord {
  std::size_t index;
  const Value* value;
};
/// The variant that `{"Name": value}` or `"Name"` stands for.
/// \throws Error `type_mismatch`, `out_of_range` for a name that is none of `names`
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
