#include <safestructures/codecs/sequences.hpp>

#include <array>
#include <string>

#include <safestructures/data/slice.hpp>

namespace safestructures::detail {

Items::Items(const Value& value, const Decoder& decoder) : value_(value) {
  if (value.is_sequence()) {
    size_ = value.size();
    return;
  }
  if (value.kind() != Kind::tensor || value.tensor().rank() == 0)
    decoder.mismatch("list, tuple or set", value);
  const Tensor& tensor = value.tensor();
  // A shape of 2^40 by 0 takes no bytes in a file: its rows must not take memory here.
  if (tensor.size() == 0 && tensor.shape()[0] != 0)
    decoder.fail(ErrorCode::shape_mismatch, "a tensor without elements has no items",
                 "list, tuple, set, or a tensor with elements", describe(value));
  size_ = static_cast<std::size_t>(tensor.shape()[0]);
}

const Value& Items::operator[](std::size_t index) {
  if (value_.is_sequence()) return value_.items()[index];
  const std::array<Slice, 1> slice{
      Slice{.start = static_cast<std::int64_t>(index), .stop = {}, .step = 1, .index = true}};
  return part_ = Value(value_.tensor().slice(slice));
}

void Items::expect_size(std::size_t count, const Decoder& decoder) const {
  if (size_ != count)
    decoder.fail(ErrorCode::shape_mismatch, "a sequence has another length",
                 std::to_string(count) + (count == 1 ? " item" : " items"), describe(value_));
}

}  // namespace safestructures::detail
