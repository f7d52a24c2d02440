#include "formats/binary/cursor.hpp"

#include <span>
#include <utility>

#include "data/limit.hpp"
#include "data/text/utf8.hpp"

namespace safestructures::inline v0::binary {

Token Cursor::next() {
  begin_ = window_.position();
  is_key_ = false;
  if (token_ == Token::extension) return token_ = value();
  if (open_.empty()) {
    if (!std::exchange(has_begun_, true)) return token_ = value();
    if (const std::uint64_t left = window_.left(); left > 0)
      fail("there are bytes after " + std::string(options_.what),
           {.expected = "the end of the file",
            .found = std::to_string(left) + (left == 1 ? " byte" : " bytes")});
    return token_ = Token::end;
  }
  Level& level = open_.back();
  if (std::exchange(level.has_key, false)) return token_ = value();
  if (level.is_endless ? ends() : level.left == 0) {
    const bool is_map = level.is_map;
    open_.pop_back();
    return token_ = is_map ? Token::object_end : Token::array_end;
  }
  if (!level.is_endless) --level.left;
  level.has_key = is_key_ = level.is_map;
  token_ = value();
  if (is_key_ && token_ == Token::string) token_ = Token::name;
  return token_;
}

Token Cursor::open(Token container, std::optional<std::uint64_t> count) {
  const bool is_map = container == Token::object;
  // Each item takes at least one byte.
  const std::uint64_t most = window_.left() / (is_map ? 2 : 1);
  if (count && *count > most)
    throw Error(ErrorCode::truncated, "the file ends before the items that it announces",
                {.expected = std::to_string(*count) + (is_map ? " entries" : " items"),
                 .found = std::to_string(window_.left()) + " bytes",
                 .advice = "Copy the file again, or save it again",
                 .offset = begin_});
  if (open_.size() >= options_.brackets)
    throw detail::past(detail::Limit::depth, options_.depth, {.offset = begin_});
  open_.push_back({count.value_or(0), is_map, !count.has_value()});
  return container;
}

std::string_view Cursor::take_text(std::uint64_t size) {
  const std::span<const std::byte> bytes = window_.take(size);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (detail::is_ascii(text)) return text;
  const bool is_malformed = options_.surrogates ? detail::find_invalid_wtf8(text).has_value()
                                                : detail::find_invalid_utf8(text).has_value();
  if (is_malformed)
    throw Error(ErrorCode::invalid_utf8,
                "a text of " + std::string(options_.what) + " is not UTF-8",
                {.advice = std::string(options_.advice), .offset = begin_});
  return text;
}

}  // namespace safestructures::inline v0::binary
