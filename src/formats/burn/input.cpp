#include "formats/burn/input.hpp"

namespace safestructures::inline v0::burn {

std::string_view describe(Token token) noexcept {
  switch (token) {
    case Token::null: return "null";
    case Token::boolean: return "a boolean";
    case Token::number: return "a number";
    case Token::string: return "a string";
    case Token::bytes: return "bytes";
    case Token::array: return "an array";
    case Token::array_end: return "the end of an array";
    case Token::map: return "a map";
    case Token::map_end: return "the end of a map";
    case Token::name: return "a key";
    case Token::end: break;
  }
  return "its end";
}

void Input::skip() {
  std::uint64_t open = 0;
  for (;; next()) {
    if (token_ == Token::array || token_ == Token::map) ++open;
    else if (token_ == Token::array_end || token_ == Token::map_end) --open;
    if (open == 0 && token_ != Token::name) return;
  }
}

}  // namespace safestructures::inline v0::burn
