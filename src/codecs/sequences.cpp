#include <safestructures/codecs/sequences.hpp>

#include <array>
#include <complex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/slice.hpp>

namespace safestructures {
namespace {

/// The part of a tensor at one index of its first dimension.
Value part_of(const Value& value, std::size_t index) {
  const std::array<Slice, 1> slice{
      Slice{.start = static_cast<std::int64_t>(index), .stop = {}, .step = 1, .index = true}};
  Tensor part = value.tensor().slice(slice);
  const Value* mark = value.attribute(attributes::complex);
  if (mark == nullptr) return part;
  if (part.shape() == Shape{2}) {
    const std::vector<double> number = part.to_vector<double>();
    return std::complex<double>(number[0], number[1]);
  }
  Value marked(std::move(part));
  marked.set_attribute(attributes::complex, *mark);
  return marked;
}

/// The number of items that columns hold: the first dimension of all of them.
std::size_t column_length(const Value& value, const Decoder& decoder) {
  std::optional<std::uint64_t> length;
  for (const Entry& field : value.entries()) {
    const bool is_column = field.value.kind() == Kind::tensor && field.value.tensor().rank() > 0 &&
                           field.value.tensor().size() > 0;
    if (!is_column) decoder.mismatch("a column, a tensor with elements", field.value);
    const std::uint64_t found = field.value.tensor().shape()[0];
    if (length.value_or(found) != found)
      decoder.fail(ErrorCode::shape_mismatch, "a column has another length than the first",
                   std::to_string(*length), std::to_string(found));
    length = found;
  }
  return static_cast<std::size_t>(length.value_or(0));
}

}  // namespace

Items::Items(const Value& value, const Decoder& decoder) : value_(value) {
  if (value.is_sequence()) {
    size_ = value.size();
    return;
  }
  if (value.kind() == Kind::structure && value.attribute(attributes::columns) != nullptr) {
    size_ = column_length(value, decoder);
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
  if (value_.kind() == Kind::tensor) return part_ = part_of(value_, index);
  part_ = Value::structure(value_.type_name());
  for (const Entry& field : value_.entries()) part_.insert(field.key, part_of(field.value, index));
  return part_;
}

void Items::expect_size(std::size_t count, const Decoder& decoder) const {
  if (size_ != count)
    decoder.fail(ErrorCode::shape_mismatch, "a sequence has another length",
                 std::to_string(count) + (count == 1 ? " item" : " items"), describe(value_));
}

}  // namespace safestructures
