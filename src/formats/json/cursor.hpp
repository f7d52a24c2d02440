/// \file
/// The one reader of JSON text: a cursor that goes from token to token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/error.hpp>
#include "formats/tree/token.hpp"

namespace safestructures::inline v0::json {

using tree::describe;
using tree::Token;

/// A byte of the text in a message: `'x'`, `byte 0x0A`.
[[nodiscard]] std::string show_byte(char byte);

/// The double nearest to a number of JSON, or one of Python's; infinite where it is too large.
[[nodiscard]] double number_of(std::string_view spelled);

/// How a text is read.
struct CursorOptions {
  /// What the text is, in messages.
  std::string_view what = "the text";
  /// The code of errors in the syntax.
  ErrorCode code = ErrorCode::invalid_schema;
  /// Where the text begins in its file.
  std::uint64_t offset = 0;
  /// How many brackets may be open at once. A level takes one byte of memory.
  std::uint64_t depth = 2000;
  /// Whether `NaN`, `Infinity` and `-Infinity` are numbers, as Python writes and reads them.
  bool python_numbers = false;
};

/// Goes through a JSON text (RFC 8259) front to back: commas, colons and nesting are checked on the
/// way, so that the tokens it gives are in order. Nothing is recursive, and of nothing that the
/// text only announces is memory taken.
///
/// Strings are WTF-8: an escape of half a surrogate pair, which Python writes and reads, gives its
/// three bytes. The text itself must be UTF-8.
///
/// Every failure is an Error: the code of `CursorOptions`, or `invalid_utf8`, or `limit_exceeded`
/// where brackets nest too deep; with the offset in the file. The cursor is of no use after it.
///
/// It stands on a scanner of our own: simdjson knows neither lone surrogates nor integers beyond 64
/// bits nor NaN, so that a text with one of them was rewritten and parsed again. On a schema of 31
/// MB the general reader takes about 200 ms on it, with a lone surrogate too; on simdjson's DOM it
/// took about 160 ms, and 400 ms with a surrogate.
class Cursor {
 public:
  /// The text must stay valid as long as the cursor and the views it gives.
  /// \throws Error `invalid_utf8`; the code of the options for a byte-order mark
  explicit Cursor(std::string_view text, const CursorOptions& options = {});

  /// Goes on to the next token. \throws Error where the text is no JSON.
  Token next();
  /// Goes on past the value that begins with the current token, to its last token.
  void skip();

  /// Appends the array that begins with the current token, where it holds nothing but integers from
  /// 0 to 255, and goes on to its end. Otherwise stays where it is, `bytes` with some of them.
  [[nodiscard]] bool byte_array(std::vector<std::byte>& bytes);

  /// What the last call of `next` gave.
  [[nodiscard]] Token token() const noexcept { return token_; }
  /// Where the current token begins in the file.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_of(begin_); }
  /// How many brackets are open.
  [[nodiscard]] std::size_t depth() const noexcept { return open_.size(); }
  /// Bytes behind the current token.
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

  /// The current token as it is spelled; of strings and names what is between the quotes.
  [[nodiscard]] std::string_view raw() const noexcept { return raw_; }

  /// Whether the current string or name is spelled without escapes, so that `raw` is its text.
  [[nodiscard]] bool is_plain() const noexcept { return !escaped_; }
  /// The text of the current string or name; valid until the next call of `next` or `string`.
  [[nodiscard]] std::string_view string();
  /// Writes the text of the current string or name. \param target room for as many bytes as `raw`
  /// has \returns behind the last byte written
  char* unescape_to(char* target) const noexcept;

  /// Whether the current number is spelled without point and exponent.
  [[nodiscard]] bool is_integer() const noexcept { return is_integer_; }
  /// The double nearest to the current number; infinite where it is too large for one.
  [[nodiscard]] double number() const { return number_of(raw_); }
  /// The same for who takes what is spelled as finite for finite: Python's words stay infinite.
  /// \throws Error `out_of_range` where it is too large
  [[nodiscard]] double number_in_range() const;
  /// The current `true` or `false`.
  [[nodiscard]] bool boolean() const noexcept { return raw_.front() == 't'; }

  /// \throws Error that the text is no JSON at the given place, where something else was expected.
  [[noreturn]] void fail(const char* place, std::string_view expected) const;

 private:
  enum class Expected : std::uint8_t { value, value_or_end, name_or_end, comma, nothing };

  [[nodiscard]] std::uint64_t offset_of(const char* place) const noexcept {
    return options_.offset + static_cast<std::uint64_t>(place - text_.data());
  }
  void skip_blanks() noexcept;
  [[nodiscard]] char peek() const noexcept { return at_ == end_ ? '\0' : *at_; }
  void value_ended() noexcept { expected_ = open_.empty() ? Expected::nothing : Expected::comma; }

  Token value();
  Token name();
  Token close();
  Token open(Token token);
  Token number_token();
  Token word(std::string_view spelled, Token token);
  void scan_string();
  void skip_escape();
  void digits();

  std::string_view text_;
  CursorOptions options_;
  const char* at_;
  const char* end_;
  const char* begin_;  // Of the current token.
  std::string_view raw_;
  Token token_ = Token::end;
  Expected expected_ = Expected::value;
  bool escaped_ = false;
  bool is_integer_ = false;
  std::vector<char> open_;  // The bracket that will close each level.
  std::string scratch_;
};

}  // namespace safestructures::inline v0::json
