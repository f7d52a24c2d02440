#include <safestructures/codecs/strings.hpp>

namespace safestructures::detail {

const std::string& decode_text(const Value& value, const Decoder& decoder) {
  if (value.kind() != Kind::string) decoder.mismatch("str", value);
  return value.as_string();
}

Value encode_text(const char* text) { return text == nullptr ? Value() : Value(text); }

}  // namespace safestructures::detail
