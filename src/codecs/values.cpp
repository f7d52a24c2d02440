#include <safestructures/codecs/values.hpp>

namespace safestructures::detail {

const Tensor& decode_tensor(const Value& value, const Decoder& decoder) {
  if (value.kind() != Kind::tensor) decoder.mismatch("tensor", value);
  return value.tensor();
}

}  // namespace safestructures::detail
