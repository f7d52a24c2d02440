/// \file
/// The reader of JSON text: a cursor that goes from token to token.
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

/// Returns a byte of the text as shown in a message: `'x'`, `byte 0x0A`.
[[nodiscard]] std::string show_byte(char byte);

/// Returns the double nearest to a number in JSON, or to one of Python's words; infinite if it is
/// too large.
[[nodiscard]] double number_of(std::string_view spelled);

/// Options for reading a text.
struct CursorOptions {
  /// The name of the text in messages.
  std::string_view what = "the text";
  /// The code of syntax errors.
  ErrorCode code = ErrorCode::invalid_schema;
  /// The offset at which the text begins in its file.
  std::uint64_t offset = 0;
  /// The largest number of brackets open at once. A level takes one byte of memory.
  std::uint64_t depth = 2000;
  /// Whether `NaN`, `Infinity` and `-Infinity` are numbers, as Python writes and reads them.
  bool python_numbers = false;
};

/// Goes through a JSON text (RFC 8259) front to back. Commas, colons and nesting are checked on the
/// way, so the tokens it gives are in order. Nothing is recursive, and memory is never allocated
/// for what the text only announces.
///
/// Strings are WTF-8: an escape of a lone surrogate, which Python writes and reads, becomes three
/// bytes. The text itself must be UTF-8.
///
/// Every failure is an Error with the offset in the file and the code of `CursorOptions`, or
/// `invalid_utf8`, or `limit_exceeded` if brackets nest too deeply. The cursor must not be used
/// after it.
///
/// It uses its own scanner: simdjson supports neither lone surrogates nor integers beyond 64 bits
/// nor NaN, so a text with one of them had to be rewritten and parsed again. For a schema of 31 MB
/// the general reader takes about 200 ms with this scanner, even with a lone surrogate; with
/// simdjson's DOM it took about 160 ms, and 400 ms with a surrogate.
class Cursor {
 public:
  /// The text must stay valid as long as the cursor and the views it gives.
  /// \throws Error `invalid_utf8`; the code of the options for a byte-order mark
  explicit Cursor(std::string_view text, const CursorOptions& options = {});

  /// Goes on to the next token. \throws Error if the text is not JSON.
  Token next();
  /// Goes on past the value that begins with the current token, to its last token.
  void skip();

  /// Appends the array that begins with the current token and goes on to its end, if it holds only
  /// integers from 0 to 255. Otherwise returns false and stays where it is; `bytes` may then hold
  /// some of them.
  [[nodiscard]] bool byte_array(std::vector<std::byte>& bytes);

  /// Goes back to an array that is still open. \param bracket what `raw` returned there \param
  /// depth what `depth` returned there
  void return_to_array(std::string_view bracket, std::size_t depth);

  /// Returns the token that the last call of `next` returned.
  [[nodiscard]] Token token() const noexcept { return token_; }
  /// Returns where the current token begins in the file.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_of(begin_); }
  /// Returns how many brackets are open.
  [[nodiscard]] std::size_t depth() const noexcept { return open_.size(); }
  /// Returns the number of bytes after the current token.
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

  /// Returns the current token as it is spelled; for strings and names, what is between the quotes.
  [[nodiscard]] std::string_view raw() const noexcept { return raw_; }

  /// Returns whether the current string or name is spelled without escapes, so that `raw` is its
  /// text.
  [[nodiscard]] bool is_plain() const noexcept { return !escaped_; }
  /// Returns the text of the current string or name; valid until the next call of `next` or
  /// `string`.
  [[nodiscard]] std::string_view string();
  /// Writes the text of the current string or name. \param target room for as many bytes as `raw`
  /// has \returns the end of what was written
  char* unescape_to(char* target) const noexcept;

  /// Returns whether the current number is spelled without decimal point and exponent.
  [[nodiscard]] bool is_integer() const noexcept { return is_integer_; }
  /// Returns the double nearest to the current number; infinite if it is too large for one.
  [[nodiscard]] double number() const { return number_of(raw_); }
  /// Returns the same, but refuses a finite number that is too large. Python's words for infinity
  /// stay infinite. \throws Error `out_of_range` if it is too large
  [[nodiscard]] double number_in_range() const;
  /// Returns the current `true` or `false`.
  [[nodiscard]] bool boolean() const noexcept { return raw_.front() == 't'; }

  /// Throws the Error that the text is not JSON at the given place, where something else was
  /// expected.
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
