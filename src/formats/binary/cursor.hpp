/// \file
/// The common base of the readers of MessagePack and CBOR, which give tokens, front to back.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/value.hpp>
#include "data/box.hpp"
#include "formats/binary/window.hpp"
#include "formats/tree/token.hpp"

namespace safestructures::inline v0::binary {

using tree::Token;

/// Reads a big-endian number.
template <std::unsigned_integral T>
T load_big(const std::byte* from) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value << 8U | std::to_integer<T>(from[i]));
  return value;
}

/// A range of the source.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// Options for reading a source.
struct CursorOptions {
  /// The name of the source's content in messages.
  std::string_view what = "the structure";
  /// The code of errors for malformed input.
  ErrorCode code = ErrorCode::invalid_schema;
  /// The largest number of arrays and maps open at once. A level takes a few bytes of memory.
  std::uint64_t brackets = 2000;
  /// The limit from which `brackets` follows, for messages.
  std::uint32_t depth = 500;
  /// `Limits::digits`.
  std::uint32_t digits = 4300;
  /// Whether the source is mapped; otherwise it is read in pieces, unless it is in memory.
  bool is_mapped = true;
  /// Whether texts may hold surrogates (`find_invalid_wtf8`).
  bool surrogates = true;
  /// Advice for the error about a text that is not UTF-8.
  std::string_view advice = {};
};

/// Goes from token to token of a format whose values begin with a byte that gives their type. Map
/// keys that are not text are tokens like values. Nothing is recursive, and memory is never
/// allocated for what is only announced. Must not be used after an Error.
class Cursor {
 public:
  virtual ~Cursor() = default;

  /// Goes on to the next token. \throws Error for malformed bytes, with the offset
  Token next();
  [[nodiscard]] Token token() const noexcept { return token_; }
  /// Returns where the current token begins.
  [[nodiscard]] std::uint64_t offset() const noexcept { return begin_; }

  /// Returns whether the current token begins the key of a map's entry.
  [[nodiscard]] bool is_key() const noexcept { return is_key_; }

  // The value of the current token.
  [[nodiscard]] bool boolean() const noexcept { return boolean_; }
  /// The value of a number or an extension.
  [[nodiscard]] const Value& number() const noexcept { return number_; }
  /// The text of a string or name, valid until the next token.
  [[nodiscard]] std::string_view string() const noexcept { return text_; }
  /// Returns where the bytes are in the source, or nothing if they are in pieces.
  [[nodiscard]] const std::optional<ByteRange>& range() const noexcept { return range_; }
  /// Returns bytes that are in pieces in the source, joined. Must be called at most once per token.
  [[nodiscard]] std::vector<std::byte> take_joined() noexcept { return std::move(joined_); }

 protected:
  Cursor(const std::shared_ptr<const Source>& source, const CursorOptions& options)
      : options_(options), window_(source, options.is_mapped) {}
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  /// Reads a value, or the beginning of one.
  virtual Token value() = 0;
  /// Returns whether a container of unannounced length ends here, and if so passes over the end
  /// mark.
  virtual bool ends() { return false; }

  [[noreturn]] void fail(std::string problem, ErrorDetails details) const {
    details.offset = begin_;
    throw Error(options_.code, std::move(problem), std::move(details));
  }
  template <std::unsigned_integral T>
  T unsigned_number() {
    return load_big<T>(window_.take(sizeof(T)).data());
  }
  /// Opens an array or object. \param count the number of items or entries; nothing if it goes on
  /// until it `ends`
  Token open(Token container, std::optional<std::uint64_t> count);
  /// Returns the next bytes as a text, which stays valid until more are taken.
  std::string_view take_text(std::uint64_t size);
  Token string(std::uint64_t size) {
    text_ = take_text(size);
    return Token::string;
  }
  Token raw(std::uint64_t size) {
    range_ = {window_.position(), size};
    window_.pass(size);
    return Token::bytes;
  }
  Token number(Value value) {
    number_ = std::move(value);
    return Token::number;
  }
  Token number(std::int64_t value) { return small_number(value); }
  Token number(std::uint64_t value) {
    return std::in_range<std::int64_t>(value) ? small_number(static_cast<std::int64_t>(value))
                                              : number(Value(value));
  }
  Token number(double value) { return small_number(value); }
  Token boolean(bool value) {
    boolean_ = value;
    return Token::boolean;
  }

  template <class T>
  Token small_number(T value) {
    if (detail::Box::has(number_)) number_ = Value();
    detail::Box::set(number_, value);
    return Token::number;
  }

  struct Level {
    std::uint64_t left;
    bool is_map;
    bool is_endless = false;  // Its length is not announced.
    bool has_key = false;     // Its next value follows a key.
  };

  CursorOptions options_;
  Window window_;
  std::vector<Level> open_;
  std::uint64_t begin_ = 0;
  Token token_ = Token::end;
  bool is_key_ = false;
  bool has_begun_ = false;
  bool boolean_ = false;
  Value number_;
  std::string_view text_;
  std::optional<ByteRange> range_;
  std::vector<std::byte> joined_;
};

}  // namespace safestructures::inline v0::binary
