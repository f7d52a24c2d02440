#include <safestructures/codecs/values.hpp>

namespace safestructures::inline v0::detail {

Tensor decode_tensor(const Value& value, Decoder& decoder) {
  if (value.kind() != Kind::tensor) decoder.mismatch("tensor", value);
  return decoder.restored(value);
}

}  // namespace safestructures::inline v0::detail
