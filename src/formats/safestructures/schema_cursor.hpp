/// \file
/// The steps for reading a schema front to back.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "data/text/json_text.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "formats/safestructures/schema_text.hpp"

namespace safestructures::inline v0::schema {

/// The likely kind of a type, by its first letter.
inline constexpr std::array<Kind, 128> likely_kinds = [] {
  std::array<Kind, 128> kinds;
  kinds.fill(Kind::custom);
  for (const Kind kind :
       {Kind::none, Kind::boolean, Kind::integer, Kind::floating, Kind::complex, Kind::string,
        Kind::list, Kind::tuple, Kind::dict, Kind::structure, Kind::tensor})
    kinds[static_cast<unsigned char>(type_of(kind).front())] = kind;
  return kinds;
}();

/// A position in the text of a schema. Every step returns whether the text goes on as expected.
class SchemaCursor {
 public:
  explicit SchemaCursor(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

 protected:
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

  bool skip(std::string_view expected) noexcept {
    if (left() < expected.size() || std::memcmp(at_, expected.data(), expected.size()) != 0)
      return false;
    at_ += expected.size();
    return true;
  }

  bool skip(const Piece& piece) noexcept { return skip({piece.text.data(), piece.size}); }

  /// Returns what was read since `begin`.
  [[nodiscard]] std::string_view since(const char* begin) const noexcept {
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

  // Strings are read from just after the opening quote to just after the closing one.
  bool plain_string(std::string_view& string) noexcept {
    const char* const special = json::find_unplain(at_, end_);
    if (special == end_ || *special != '"') return false;
    string = {at_, static_cast<std::size_t>(special - at_)};
    at_ = special + 1;
    return true;
  }

  bool escaped_string(std::string& string) {
    const char* end = at_;
    while ((end = json::find_unplain(end, end_)) != end_ && *end == '\\')
      end += end_ - end >= 2 ? 2 : 1;
    if (end == end_ || *end != '"') return false;
    string.resize(static_cast<std::size_t>(end - at_) + 8);
    const json::Unescaped result = json::unescape(at_, end_, string.data());
    if (result.fault != json::StringFault::none) return false;
    string.resize(static_cast<std::size_t>(result.target_end - string.data()));
    at_ = result.stop;
    return true;
  }

  bool any_string(std::string& string) {
    std::string_view plain;
    if (!plain_string(plain)) return escaped_string(string);
    string = plain;
    return true;
  }

  /// Reads up to the content of a node's value if its type has the usual spelling of a kind;
  /// otherwise reads nothing. \returns the kind, or `custom`
  Kind opening() noexcept {
    if (left() <= type_at) return Kind::custom;
    const auto letter = static_cast<unsigned char>(at_[type_at]);
    const Kind kind = letter < likely_kinds.size() ? likely_kinds[letter] : Kind::custom;
    switch (kind) {
      case Kind::custom: return kind;
      case Kind::integer: return skip_opening<Kind::integer>() ? kind : Kind::custom;
      case Kind::floating: return skip_opening<Kind::floating>() ? kind : Kind::custom;
      case Kind::string: return skip_opening<Kind::string>() ? kind : Kind::custom;
      default:
        return skip(bare_spelling.begin[static_cast<std::size_t>(kind)]) ? kind : Kind::custom;
    }
  }

  const char* at_;
  const char* end_;

 private:
  /// The size is known at compile time: a few instructions instead of a call.
  template <Kind kind>
  bool skip_opening() noexcept {
    constexpr const Piece& piece = bare_spelling.begin[static_cast<std::size_t>(kind)];
    return skip(std::string_view(piece.text.data(), piece.size));
  }

  // The position of a type's first letter in its node.
  static constexpr std::size_t type_at = bare_spelling.type.size + 1;
};

}  // namespace safestructures::inline v0::schema
