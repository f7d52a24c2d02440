/// \file
/// Compile-time names of types and struct members, from what the compiler prints.
///
/// Boost.PFR has field names since Boost 1.84, but they are not used even then: they count the
/// fields of a struct in a way that fails for `std::optional<Eigen::Matrix3d>` and C arrays, and
/// they reject structs without linkage (local ones, those in unnamed namespaces), which this header
/// supports.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0::detail {

/// Text with static storage, independent of the longer text it was cut from.
template <std::size_t N>
struct FixedText {
  std::array<char, N + 1> characters{};  // public and zero-terminated: a template argument

  constexpr explicit FixedText(std::string_view text) {
    for (std::size_t i = 0; i < N; ++i) characters[i] = text[i];
  }
  [[nodiscard]] constexpr std::string_view view() const { return {characters.data(), N}; }
};

/// Storage for a T that is never built: only addresses of its members are taken, in constants, so
/// no compiler emits it. An undefined `extern` object would do for types with linkage, but GCC and
/// Clang reject it for local types.
template <class T>
union Unbuilt {
  char none;
  T value;
  constexpr Unbuilt() noexcept : none{} {}
  constexpr ~Unbuilt() {}
};

template <class T>
inline const Unbuilt<T> unbuilt{};

/// A pointer to a member of `unbuilt` as a template argument. Before version 18, Clang accepts a
/// pointer to a subobject only inside a class.
template <class Member>
struct MemberPointer {
  const Member* pointer;
};
template <class Member>
MemberPointer(const Member*) -> MemberPointer<Member>;

constexpr bool is_identifier_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

/// Returns the last identifier of `auto f() [with auto P = {(& unbuilt<S>.value.S::x)}]`.
constexpr std::string_view last_identifier(std::string_view text) {
  while (!text.empty() && !is_identifier_character(text.back())) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && is_identifier_character(text[begin - 1])) --begin;
  return text.substr(begin);
}

/// Returns `S` for `a::b::S<c::D, 3>` and for `f(int)::S`.
constexpr std::string_view unqualified_name(std::string_view type) {
  std::size_t depth = 0;
  std::size_t begin = 0;
  std::size_t end = type.size();
  for (std::size_t i = 0; i < type.size(); ++i) {
    const char c = type[i];
    if (c == '<' || c == '(' || c == '{') {
      if (depth++ == 0) end = i;
    } else if (c == '>' || c == ')' || c == '}') {
      if (depth > 0) --depth;
    } else if (c == ':' && depth == 0) {
      begin = i + 1;
      end = type.size();
    }
  }
  return type.substr(begin, end - begin);
}

// The return types are `auto` because GCC appends to the text what an alias such as
// std::string_view stands for.
template <auto Pointer>
constexpr auto member_text() {
  return std::string_view(__PRETTY_FUNCTION__);
}

template <class T>
constexpr auto type_text() {
  std::string_view text(__PRETTY_FUNCTION__);
  text.remove_prefix(text.find("T = ") + 4);
  text.remove_suffix(1);
  return text;
}

template <auto Pointer>
struct MemberName {
  static constexpr std::string_view found = last_identifier(member_text<Pointer>());
  static constexpr FixedText<found.size()> text{found};
};

template <class T>
struct TypeName {
  static constexpr std::string_view found = unqualified_name(type_text<T>());
  static constexpr FixedText<found.size()> text{found};
};

}  // namespace safestructures::inline v0::detail
