/// \file
/// Codecs of text: strings, views and literals (for saving only), and file paths.
///
/// Text is UTF-8. Other bytes belong in a `std::vector<std::byte>`.
///
/// Ranges of `char` may be either: they are a str if they are UTF-8 without a zero, otherwise a U8
/// tensor; every program can read both. The text of a fixed array ends before the zeros at its end,
/// and that of a `char[N]`, as always in C, before its first zero. Loading a shorter text fills the
/// rest of the array with zeros.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {
namespace detail {

/// Returns the text of a str. \throws Error `type_mismatch` for anything else
SAFESTRUCTURES_API const std::string& decode_text(const Value& value, const Decoder& decoder);
/// Returns the str of a zero-terminated text; None for null.
SAFESTRUCTURES_API Value encode_text(const char* text);

/// Returns a str if the characters are text, otherwise a U8 tensor that borrows them.
SAFESTRUCTURES_API Value encode_chars(std::string_view text);
/// The same for a fixed array: zeros at its end are dropped if the rest is text.
SAFESTRUCTURES_API Value encode_char_array(std::string_view text);
/// The same for a C string in a buffer: it ends at its first zero if what is before it is text.
SAFESTRUCTURES_API Value encode_char_buffer(std::string_view text);
/// Returns the characters of a str, of bytes, or of a tensor, list or tuple of small integers;
/// `scratch` keeps them alive.
/// \throws Error `type_mismatch`; `out_of_range` for an integer that does not fit a byte
SAFESTRUCTURES_API std::string_view decode_chars(const Value& value, const Decoder& decoder,
                                                 Tensor& scratch);
/// Fills a fixed array.
/// \throws Error `shape_mismatch` for a longer str, and for bytes of another length
SAFESTRUCTURES_API void decode_char_array(const Value& value, const Decoder& decoder,
                                          std::span<char> target);

inline constexpr KindSet char_kinds = KindSet(Kind::string) | Kind::tensor;

/// `std::filesystem::path`, detected by its members: its header costs every includer half a second.
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

/// For saving only: a loaded view would outlive its text.
template <class Traits>
struct Codec<std::basic_string_view<char, Traits>> {
  static constexpr KindSet kinds = Kind::string;
  static void describe_type(TypeDescriber& type) { type.string(); }
  static Value encode(std::basic_string_view<char, Traits> text, Encoder&) {
    return Value(std::string_view(text.data(), text.size()));
  }
};

/// For saving only. A null pointer is None.
template <class T>
  requires(std::same_as<T, const char*> || std::same_as<T, char*>)
struct Codec<T> {
  static constexpr KindSet kinds = KindSet(Kind::string) | Kind::none;
  static constexpr bool nullable = true;
  static void describe_type(TypeDescriber& type) { type.optional<std::string>(); }
  static Value encode(const char* text, Encoder&) { return detail::encode_text(text); }
};

/// A literal or a buffer, for saving only: a function cannot return an array. As a struct's field
/// it loads as a std::array.
template <std::size_t N>
struct Codec<char[N]> {
  static constexpr KindSet kinds = detail::char_kinds;
  static void describe_type(TypeDescriber& type) { type.string(); }
  static Value encode(const char (&text)[N], Encoder&) {
    return detail::encode_char_buffer({text, N});
  }
};

/// A file path as text, in the form of the system that saved it.
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

}  // namespace safestructures::inline v0
