#include <safestructures/codecs/strings.hpp>

#include <algorithm>
#include <string>

#include <safestructures/data/error.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/tensor.hpp>
#include "codecs/bytes_of.hpp"
#include "data/text/utf8.hpp"

namespace safestructures::inline v0::detail {

const std::string& decode_text(const Value& value, const Decoder& decoder) {
  // If the text of a custom type is also a tensor's name, it was read as that tensor: see
  // docs/format.md.
  if (value.kind() == Kind::tensor && value.is_plain()) return value.tensor_name();
  if (value.kind() != Kind::string) decoder.mismatch("str", value);
  return value.as_string();
}

namespace {

bool is_text(std::string_view chars) {
  return chars.find('\0') == std::string_view::npos && !find_invalid_utf8(chars);
}

Value encode_raw(std::string_view chars) {
  return encode_block(DType::U8, Shape{chars.size()}, std::as_bytes(std::span(chars)));
}

std::string_view chars_of(const Tensor& bytes) {
  return {reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size()};
}

}  // namespace

Value encode_chars(std::string_view text) { return is_text(text) ? Value(text) : encode_raw(text); }

Value encode_char_array(std::string_view text) {
  const std::size_t last = text.find_last_not_of('\0');
  const std::string_view shown = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return is_text(shown) ? Value(shown) : encode_raw(text);
}

Value encode_char_buffer(std::string_view text) {
  const std::string_view shown = text.substr(0, text.find('\0'));
  return is_text(shown) ? Value(shown) : encode_raw(text);
}

std::string_view decode_chars(const Value& value, const Decoder& decoder, Tensor& scratch) {
  if (value.kind() == Kind::tuple || value.kind() == Kind::list) {
    scratch = bytes_of(value, decoder);
    return chars_of(scratch);
  }
  const bool is_raw =
      value.kind() == Kind::bytes ||
      (value.kind() == Kind::tensor && !value.is_plain() && value.tensor().rank() == 1);
  if (!is_raw) return decode_text(value, decoder);
  try {
    scratch = value.tensor().to(DType::U8, decoder.overflow()).contiguous();
  } catch (const Error& error) {
    throw error.with_path(decoder.path());
  }
  return chars_of(scratch);
}

void decode_char_array(const Value& value, const Decoder& decoder, std::span<char> target) {
  Tensor scratch;
  const std::string_view text = decode_chars(value, decoder, scratch);
  const bool fits =
      value.kind() == Kind::string ? text.size() <= target.size() : text.size() == target.size();
  if (!fits)
    decoder.fail(ErrorCode::shape_mismatch, "the characters do not fill their array",
                 {.expected = (value.kind() == Kind::string ? "at most " : "") +
                              std::to_string(target.size()) + " bytes",
                  .found = std::to_string(text.size())});
  std::ranges::copy(text, target.begin());
}

Value encode_text(const char* text) { return text == nullptr ? Value() : Value(text); }

}  // namespace safestructures::inline v0::detail
