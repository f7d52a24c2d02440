/// \file
/// simdjson's on-demand parser with this library's errors.
///
/// Error messages never come from simdjson, since its messages differ between versions. If it
/// refuses something, `fail_json` finds out what is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <simdjson.h>
#include "data/text/json_text.hpp"

namespace safestructures::inline v0::safetensors::detail {

/// Whether JSON allows the character between tokens, and before and after a text.
inline bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// One walk through a JSON text whose root is an object.
///
/// Names and strings are not taken from simdjson, but read in place. This saves a copy, and
/// simdjson's own routine works byte by byte unless the whole library is built for a newer
/// processor.
class JsonWalk {
 public:
  /// \param text begins with `{` and is followed by `text_padding` readable bytes
  /// \param what a name for the text in messages, such as "the header" \param offset of the text in
  /// its file
  JsonWalk(std::string_view text, std::string_view what, std::uint64_t offset)
      : text_(text), what_(what), offset_(offset) {}

  /// Checks that the text is UTF-8 and that strings end, and returns the root.
  simdjson::ondemand::object start();
  /// Checks that nothing but whitespace follows. Call it after walking through the root.
  void finish();

  /// Returns the value of a result of simdjson; a missing value is a syntax error.
  template <class T, class Result>
  T take(Result&& result) {
    T value;
    if (std::forward<Result>(result).get(value)) fail_syntax();
    return value;
  }

  /// Checks that a value is well-formed, and ignores it otherwise.
  /// \param depth of the value \param most the most levels that are allowed
  void check_value(simdjson::ondemand::value& value, std::uint32_t depth, std::uint32_t most);

  /// Throws if the syntax is wrong. Call it before reporting a value of the wrong kind, because
  /// simdjson does not distinguish the two.
  void check_syntax() const;
  [[noreturn]] void fail_syntax() const;
  [[noreturn]] void fail_string(const json::Unescaped& result, std::string path) const;

  /// Returns the offset in the file.
  [[nodiscard]] std::uint64_t offset(const char* place) const noexcept {
    return offset_ + static_cast<std::uint64_t>(place - text_.data());
  }
  /// Returns the value of the key that begins, after its quote, at `key`.
  [[nodiscard]] const char* value_behind(const char* key) const noexcept;
  /// Returns the value at that place for error messages, shortened if it is long.
  [[nodiscard]] std::string show(const char* value) const;
  /// Returns the byte at that place for error messages.
  [[nodiscard]] static std::string show_byte(const char* place);

 private:
  [[nodiscard]] const char* end() const noexcept { return text_.data() + text_.size(); }
  [[nodiscard]] const char* behind_string(const char* inside) const noexcept;

  std::string_view text_;
  std::string_view what_;
  std::uint64_t offset_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
};

}  // namespace safestructures::inline v0::safetensors::detail
