/// \file
/// simdjson's on-demand parser with this library's errors.
///
/// The texts of errors never come from simdjson: they differ from version to version. Where it
/// refuses something, `fail_json` looks again for what is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <simdjson.h>
#include "data/text/json_text.hpp"

namespace safestructures::inline v0::safetensors::detail {

/// What JSON allows between its parts, and in front of and behind a text.
inline bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// One walk through a JSON text whose root is an object.
///
/// Names and strings are not taken from simdjson, but read where they are: this saves a copy, and
/// its own routine works byte by byte unless the whole library is built for a newer processor.
class JsonWalk {
 public:
  /// \param text begins with `{` and is followed by `text_padding` readable bytes
  /// \param what the text, as "the header" \param offset of the text in its file
  JsonWalk(std::string_view text, std::string_view what, std::uint64_t offset)
      : text_(text), what_(what), offset_(offset) {}

  /// Checks UTF-8 and that strings end, and gives the root.
  simdjson::ondemand::object start();
  /// To be called when the root was walked through: nothing but blanks may follow.
  void finish();

  /// The value of a result of simdjson; what is not there is a fault in the syntax.
  template <class T, class Result>
  T take(Result&& result) {
    T value;
    if (std::forward<Result>(result).get(value)) fail_syntax();
    return value;
  }

  /// Visits a value of which nothing is wanted but that it is well-formed.
  /// \param depth of the value \param most levels that are allowed
  void check_value(simdjson::ondemand::value& value, std::uint32_t depth, std::uint32_t most);

  /// Throws if the syntax is wrong: to be called before complaining of a value of the wrong kind,
  /// because simdjson sees no difference.
  void check_syntax() const;
  [[noreturn]] void fail_syntax() const;
  [[noreturn]] void fail_string(const json::Unescaped& result, std::string path) const;

  /// The place in the file.
  [[nodiscard]] std::uint64_t offset(const char* place) const noexcept {
    return offset_ + static_cast<std::uint64_t>(place - text_.data());
  }
  /// The value of the key that begins, behind its quote, at `key`.
  [[nodiscard]] const char* value_behind(const char* key) const noexcept;
  /// The value at that place for error messages, cut where it is long.
  [[nodiscard]] std::string show(const char* value) const;
  /// The byte at that place for error messages.
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
