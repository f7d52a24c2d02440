#include <safestructures/codecs/values.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/codecs/numbers.hpp>
#include <safestructures/codecs/tensor_like.hpp>
#include <safestructures/data/shape.hpp>

namespace safestructures::inline v0::detail {
namespace {

constexpr std::string_view expected = "a tensor, or nested lists of numbers";

/// Joins the dtype of the numbers in nested lists to that of those before. Recursive, up to
/// `levels`. \returns whether they are all numbers
bool join_dtype(const Value& value, std::size_t levels, std::optional<DType>& dtype) {
  if (levels > 0 && value.is_sequence())
    return std::ranges::all_of(
        value.items(), [&](const Value& item) { return join_dtype(item, levels - 1, dtype); });
  switch (value.kind()) {
    case Kind::boolean: dtype = dtype.value_or(DType::BOOL); return true;
    case Kind::integer:
      if (!dtype || (dtype == DType::I64 && !value.as_int64()))
        dtype = value.as_int64() ? DType::I64 : DType::U64;
      return true;
    case Kind::floating: dtype = DType::F64; return true;
    default: return false;
  }
}

/// Returns the tensor of the numbers in nested lists, as other programs write them.
Tensor tensor_of_lists(const Value& value, Decoder& decoder) {
  const std::vector<std::uint64_t> sizes = nested_sizes(value, std::nullopt, decoder);
  std::optional<DType> dtype;
  if (!join_dtype(value, sizes.size(), dtype)) decoder.mismatch(std::string(expected), value);
  Tensor tensor = Tensor::allocate(dtype.value_or(DType::F64), Shape(sizes));
  decode_numbers(value, decoder, tensor.dtype(), sizes, tensor.mutable_bytes());
  return tensor;
}

}  // namespace

Tensor decode_tensor(const Value& value, Decoder& decoder) {
  if (value.is_sequence()) return tensor_of_lists(value, decoder);
  if (value.kind() != Kind::tensor) decoder.mismatch(std::string(expected), value);
  return decoder.restored(value);
}

}  // namespace safestructures::inline v0::detail
