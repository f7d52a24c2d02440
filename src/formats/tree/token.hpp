/// \file
/// The tokens in which texts and files that hold a tree of values are read, front to back.
#pragma once

#include <cstdint>
#include <string_view>

namespace safestructures::inline v0::tree {

enum class Token : std::uint8_t {
  object,  ///< `{` of JSON, a map elsewhere.
  object_end,
  array,
  array_end,
  name,  ///< The name of a member: a key that is text.
  string,
  number,
  boolean,
  null,
  bytes,
  extension,  ///< A number that gives the meaning of the value after it; JSON has none.
  end,        ///< The end of the input.
};

/// Returns the words for a token in a message: `an object`, `a number`, `its end`.
[[nodiscard]] constexpr std::string_view describe(Token token) noexcept {
  switch (token) {
    case Token::object: return "an object";
    case Token::array: return "an array";
    case Token::name: return "a name";
    case Token::string: return "a string";
    case Token::number: return "a number";
    case Token::boolean: return "a boolean";
    case Token::null: return "null";
    case Token::bytes: return "bytes";
    case Token::extension: return "an extension";
    case Token::object_end: return "the end of the object";
    case Token::array_end: return "the end of the array";
    case Token::end: break;
  }
  return "its end";
}

}  // namespace safestructures::inline v0::tree
