/// \file
/// Codecs of text: strings, views and literals (which can only be saved), and file paths.
///
/// Text is UTF-8. Bytes that are no text belong into a `std::vector<std::byte>`.
///
/// Ranges of `char`, which may be either, are a str where they are UTF-8 without a zero, and a U8
/// tensor where they are not: every program can read both. A fixed array is text up to the zeros at
/// its end, and a `char[N]`, as everywhere in C, up to its first zero; they load what is shorter
/// than they are, filled up with zeros.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/type_describer.hpp>

namespace safestructures::inline v0 {
namespace detail {

/// The text of a str. \throws Error `type_mismatch` for anything else.
SAFESTRUCTURES_API const std::string& decode_text(const Value& value, const Decoder& decoder);
/// The str of a zero-terminated text; None for null.
SAFESTRUCTURES_API Value encode_text(const char* text);

/// A str of characters that are text, else a U8 tensor that borrows them.
SAFESTRUCTURES_API Value encode_chars(std::string_view text);
/// The same of a fixed array: zeros at its end are left out.
SAFESTRUCTURES_API Value encode_char_array(std::string_view text);
/// The same of a C string in a buffer: up to its first zero where that is text.
SAFESTRUCTURES_API Value encode_char_buffer(std::string_view text);
/// The characters of a str, of bytes or of a tensor, list or tuple of small integers, which
/// `scratch` keeps. \throws Error `type_mismatch`; `out_of_range` for an integer that is no byte
SAFESTRUCTURES_API std::string_view decode_chars(const Value& value, const Decoder& decoder,
                                                 Tensor& scratch);
/// Fills a fixed array. \throws Error `shape_mismatch` for a str that is longer, and for bytes of
/// another length.
SAFESTRUCTURES_API void decode_char_array(const Value& value, const Decoder& decoder,
                                          std::span<char> target);

inline constexpr KindSet char_kinds = KindSet(Kind::string) | Kind::tensor;

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

/// Saved only, as a literal or a buffer: a function cannot return one. As a struct's field it loads
/// as a std::array.
template <std::size_t N>
struct Codec<char[N]> {
  static constexpr KindSet kinds = detail::char_kinds;
  static void describe_type(TypeDescriber& type) { type.string(); }
  static Value encode(const char (&text)[N], Encoder&) {
    return detail::encode_char_buffer({text, N});
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

}  // namespace safestructures::inline v0
