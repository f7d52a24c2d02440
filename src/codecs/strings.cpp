#include <safestructures/codecs/strings.hpp>

namespace safestructures::detail {

const std::string& decode_text(const Value& value, const Decoder& decoder) {
  // A custom type's text that is also a tensor's name was taken for that tensor: see
  // docs/format.md.
  if (value.kind() == Kind::tensor && value.is_plain()) return value.tensor_name();
  if (value.kind() != Kind::string) decoder.mismatch("str", value);
  return value.as_string();
}

Value encode_text(const char* text) { return text == nullptr ? Value() : Value(text); }

}  // namespace safestructures::detail
