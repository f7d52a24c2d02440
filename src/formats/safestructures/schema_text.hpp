/// \file
/// The text of a schema being made: its fixed parts, its numbers and its strings.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/path.hpp>
#include "data/text/json_text.hpp"
#include "data/text/number.hpp"
#include "formats/safestructures/schema_inside.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::schema {

/// Whether the text stands by itself, or inside a string of a container's header, where quotes and
/// backslashes are escaped.
enum class Quotes : bool { bare, escaped };

/// A fixed part of the text. The whole array is copied, in four moves, whatever its size.
struct Piece {
  std::array<char, 64> text{};
  std::size_t size = 0;
};

/// The spelling of the fixed parts of the text.
struct Spelling {
  explicit constexpr Spelling(Quotes quotes) {
    for (std::size_t kind = 0; kind < begin.size(); ++kind) {
      const Kind of = static_cast<Kind>(kind);
      begin[kind] = piece(quotes, {type_begin, "\"", type_of(of), "\"", value_begin, opening(of)});
    }
    type = piece(quotes, {type_begin});
    value = piece(quotes, {value_begin});
    number_end = piece(quotes, {"\"}"});
    keys = piece(quotes, {"}, \"keys\": {"});
    class_name = piece(quotes, {", \"class\": "});
    dtype = piece(quotes, {", \"dtype\": "});
    quote = piece(quotes, {"\""});
  }

  /// By kind, a node up to its value, including what opens the value: a quote before a number, or a
  /// bracket.
  std::array<Piece, static_cast<std::size_t>(Kind::custom) + 1> begin;
  Piece type;        ///< The text before the type of a node.
  Piece value;       ///< The text between the type and the value.
  Piece number_end;  ///< After a number.
  Piece keys;        ///< Between the values of a dict and its keys.
  Piece class_name;  ///< Before the class of a structure.
  Piece dtype;       ///< Before the dtype of a tensor.
  Piece quote;

  /// Returns what opens the value of a kind, except for the quote of a string.
  static constexpr std::string_view opening(Kind kind) {
    switch (kind) {
      case Kind::integer:
      case Kind::floating:
      case Kind::complex: return "\"";
      case Kind::list:
      case Kind::tuple:
      case Kind::set: return "[";
      case Kind::dict:
      case Kind::structure: return "{";
      default: return "";
    }
  }

 private:
  static constexpr std::string_view type_begin = "{\"data_type\": ";
  static constexpr std::string_view value_begin = ", \"value\": ";

  static constexpr Piece piece(Quotes quotes, std::initializer_list<std::string_view> parts) {
    Piece result;
    for (const std::string_view part : parts)
      for (const char c : part) {
        if (c == '"' && quotes == Quotes::escaped) result.text[result.size++] = '\\';
        result.text[result.size++] = c;
      }
    return result;
  }
};

inline constexpr Spelling bare_spelling{Quotes::bare};
inline constexpr Spelling escaped_spelling{Quotes::escaped};

/// Appends to a text, which is complete after `finish`: bare to a string, or escaped for the inside
/// of a JSON string to a block.
class SchemaText {
 public:
  explicit SchemaText(std::string& text) : string_(&text), spelling_(bare_spelling) {}
  /// \param take receives what exceeds a piece; or null
  SchemaText(TextBlock& text, TextTaker take)
      : block_(&text), take_(std::move(take)), spelling_(escaped_spelling) {}

  /// Returns whether the text is passed on in pieces, so that nothing need be known about the
  /// whole.
  [[nodiscard]] bool leaves() const noexcept { return take_ != nullptr; }

  /// Makes room for about `size` bytes of bare text; escaping adds to that, as about eight bytes of
  /// a node are quotes. Must be called before anything is added.
  void reserve(std::size_t size) {
    if (string_ != nullptr) platform::reserve_huge(*string_, size);
    else block_->reserve(leaves() ? std::min(size + size / 4, text_piece) : size + size / 4);
  }

  /// Continues after what the text holds. Must be called before anything is added.
  void restart() {
    const std::size_t used = string_ != nullptr ? string_->size() : block_->size();
    begin_ = resize(used);
    at_ = begin_ + used;
    end_ = at_;
  }

  [[nodiscard]] const Spelling& spelling() const noexcept { return spelling_; }

  void add(const Piece& piece) {
    make_room(piece.text.size());
    std::memcpy(at_, piece.text.data(), piece.text.size());
    at_ += piece.size;
  }

  /// Adds text that needs no escaping.
  void add(std::string_view letters) {
    make_room(letters.size());
    std::memcpy(at_, letters.data(), letters.size());
    at_ += letters.size();
  }

  /// \returns how many digits the number has
  std::size_t add_integer(std::int64_t number) {
    make_room(number_room);
    const char* const digits = number < 0 ? at_ + 1 : at_;
    at_ = std::to_chars(at_, at_ + number_room, number).ptr;
    return static_cast<std::size_t>(at_ - digits);
  }

  void add_float(double number) {
    make_room(number_room);
    at_ = detail::write_float(at_, number);
  }

  /// Adds a string in quotes. \throws Error `invalid_utf8`, with the place `trace`
  void add_string(std::string_view text, const Trace* trace) {
    const Piece& quote = spelling_.quote;
    make_room(text.size() + 2 * sizeof(std::uint64_t));
    char* at = at_;
    std::memcpy(at, quote.text.data(), 2);
    at += quote.size;
    if (!copy_plain(text, at)) return add_unplain(text, trace);
    at += text.size();
    std::memcpy(at, quote.text.data(), 2);
    at_ = at + quote.size;
  }

  /// Returns the length of the text so far.
  [[nodiscard]] std::size_t size() const noexcept { return taken_ + held(); }

  /// Returns what was added from `begin` on; empty if some of it was taken.
  [[nodiscard]] std::string_view since(std::size_t begin) const noexcept {
    if (begin < taken_) return {};
    return {begin_ + (begin - taken_), size() - begin};
  }

  void finish() { resize(held()); }

 private:
  // The longest numbers: -2.2250738585072014e-308, -9223372036854775808.
  static constexpr std::size_t number_room = 32;
  static_assert(number_room >= detail::longest_float);

  [[nodiscard]] std::size_t held() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

  void make_room(std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) grow(size);
  }

  /// \returns where the text begins
  char* resize(std::size_t size) {
    if (string_ != nullptr) string_->resize(size);
    else block_->resize(size);
    return string_ != nullptr ? string_->data() : block_->data();
  }

  void grow(std::size_t size);
  void let_go();
  void add_unplain(std::string_view text, const Trace* trace);

  /// Copies a text of ASCII that JSON needs no escapes for; returns false for any other.
  static bool copy_plain(std::string_view text, char* target) noexcept {
    const std::size_t size = text.size();
    const char* const from = text.data();
    if (size < 8) return copy_few(from, size, target);
    std::uint64_t marks = 0;
    const auto copy_at = [&](std::size_t at) {
      std::uint64_t bytes;
      std::memcpy(&bytes, from + at, 8);
      std::memcpy(target + at, &bytes, 8);
      marks |= mark_unplain(bytes);
    };
    for (std::size_t at = 0; at + 8 < size; at += 8) copy_at(at);
    copy_at(size - 8);
    return marks == 0;
  }

  // Fewer than eight bytes: two halves that may overlap.
  static bool copy_few(const char* from, std::size_t size, char* target) noexcept {
    std::uint64_t bytes = 0x2020202020202020;
    if (size >= 4) {
      std::uint32_t halves[2];
      std::memcpy(&halves[0], from, 4);
      std::memcpy(&halves[1], from + size - 4, 4);
      std::memcpy(target, &halves[0], 4);
      std::memcpy(target + size - 4, &halves[1], 4);
      bytes = halves[0] | std::uint64_t{halves[1]} << 32U;
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        target[i] = from[i];
        bytes = bytes << 8U | static_cast<unsigned char>(from[i]);
      }
    }
    return mark_unplain(bytes) == 0;
  }

  /// Returns a nonzero value if a byte is outside ASCII's space to `~`, or is a quote or a
  /// backslash.
  static std::uint64_t mark_unplain(std::uint64_t bytes) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t high = 0x8080808080808080;
    return ((bytes | (bytes + ones)) & high) | json::mark_special(bytes) |
           json::mark_controls(bytes);
  }

  std::string* string_ = nullptr;  // Exactly one of the two is set.
  TextBlock* block_ = nullptr;
  TextTaker take_;
  std::size_t taken_ = 0;  // Bytes of the text that were taken.
  const Spelling& spelling_;
  char* begin_ = nullptr;
  char* at_ = nullptr;   // Up to here the text is known,
  char* end_ = nullptr;  // and up to here it has room.
};

inline void SchemaText::let_go() {
  const std::size_t gone = take_({begin_, held()});
  taken_ += gone;
  std::memmove(begin_, begin_ + gone, held() - gone);
  at_ -= gone;
}

inline void SchemaText::grow(std::size_t size) {
  if (take_ && held() >= text_piece / 2 && held() + size > text_piece) let_go();
  // Zero-filled before it is written, in steps that stay in the first-level cache.
  constexpr std::size_t step = std::size_t{16} << 10U;
  const std::size_t used = held();
  const std::size_t room = string_ != nullptr ? string_->capacity() : block_->capacity();
  const std::size_t whole = std::max(used + size, std::min(used + step, room));
  begin_ = resize(whole);
  at_ = begin_ + used;
  end_ = begin_ + whole;
}

inline void SchemaText::add_unplain(std::string_view text, const Trace* trace) {
  std::string json;
  json::append_string(json, text, json::Escapes::all, trace);
  if (block_ == nullptr) return add(std::string_view(json));
  make_room(json::escaped_bound(json.size()));
  at_ = json::escape(json, at_);
}

}  // namespace safestructures::inline v0::schema
