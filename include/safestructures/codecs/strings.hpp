/// \file
/// Codecs of text: strings, views and literals (which can only be saved), and file paths.
///
/// Text is UTF-8. Bytes that are no text belong into a `std::vector<std::byte>`.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures {
namespace detail {

/// The text of a str. \throws Error `type_mismatch` for anything else.
SAFESTRUCTURES_API const std::string& decode_text(const Value& value, const Decoder& decoder);
/// The str of a zero-terminated text; None for null.
SAFESTRUCTURES_API Value encode_text(const char* text);

/// `std::filesystem::path`, known by its members: its header costs every includer half a second.
template <class T>
concept FilePath = requires(const T& path) {
  typename T::string_type;
  T::preferred_separator;
  { path.lexically_normal() } -> std::same_as<T>;
  { path.native() } -> std::same_as<const typename T::string_type&>;
  path.u8string();
};

}  // namespace detail

template <class Traits, class Allocator>
struct Codec<std::basic_string<char, Traits, Allocator>> {
  using Text = std::basic_string<char, Traits, Allocator>;
  static constexpr KindSet kinds = Kind::string;
  static void describe_type(TypeDescriber& type) { type.string(); }
  static Value encode(const Text& text, Encoder&) {
    return Value(std::string_view(text.data(), text.size()));
  }
  static Text decode(const Value& value, Decoder& decoder) {
    const std::string& text = detail::decode_text(value, decoder);
    return Text(text.data(), text.size());
  }
};

template <class Traits, class Allocator>
struct Codec<std::basic_string<char8_t, Traits, Allocator>> {
  using Text = std::basic_string<char8_t, Traits, Allocator>;
  static constexpr KindSet kinds = Kind::string;
  static void describe_type(TypeDescriber& type) { type.string(); }
  static Value encode(const Text& text, Encoder&) {
    return Value(std::string_view(reinterpret_cast<const char*>(text.data()), text.size()));
  }
  static Text decode(const Value& value, Decoder& decoder) {
    const std::string& text = detail::decode_text(value, decoder);
    return Text(reinterpret_cast<const char8_t*>(text.data()), text.size());
  }
};

/// Saved only: a view that is loaded would outlive its text.
template <class Traits>
struct Codec<std::basic_string_view<char, Traits>> {
  static constexpr KindSet kinds = Kind::string;
  static void describe_type(TypeDescriber& type) { type.string(); }
  static Value encode(std::basic_string_view<char, Traits> text, Encoder&) {
    return Value(std::string_view(text.data(), text.size()));
  }
};

/// Saved only. Null is None.
template <class T>
  requires(std::same_as<T, const char*> || std::same_as<T, char*>)
struct Codec<T> {
  static constexpr KindSet kinds = KindSet(Kind::string) | Kind::none;
  static constexpr bool nullable = true;
  static void describe_type(TypeDescriber& type) { type.optional<std::string>(); }
  static Value encode(const char* text, Encoder&) { return detail::encode_text(text); }
};

/// Saved only. A literal, or a buffer up to its first zero.
template <std::size_t N>
struct Codec<char[N]> {
  static constexpr KindSet kinds = Kind::string;
  static void describe_type(TypeDescriber& type) { type.string(); }
  static Value encode(const char (&text)[N], Encoder&) {
    const std::string_view all(text, N);
    return Value(all.substr(0, all.find('\0')));
  }
};

/// A file path as its text, in the form of the system that saved it.
template <detail::FilePath T>
struct Codec<T> {
  static constexpr KindSet kinds = Kind::string;
  static void describe_type(TypeDescriber& type) { type.string(); }
  static Value encode(const T& path, Encoder&) {
    const auto text = path.u8string();
    return Value(std::string_view(reinterpret_cast<const char*>(text.data()), text.size()));
  }
  static T decode(const Value& value, Decoder& decoder) {
    const std::string& text = detail::decode_text(value, decoder);
    const auto* first = reinterpret_cast<const char8_t*>(text.data());
    return T(first, first + text.size());
  }
};

}  // namespace safestructures
