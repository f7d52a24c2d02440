#include <safestructures/codecs/columns.hpp>

#include <string>

namespace safestructures::detail {

Value encode_column(DType dtype, std::span<const std::uint64_t> dims, bool complex,
                    const std::byte* first, std::size_t count, std::size_t stride) {
  std::vector<std::uint64_t> shape = {count};
  shape.insert(shape.end(), dims.begin(), dims.end());
  std::vector<std::int64_t> strides(shape.size(), static_cast<std::int64_t>(stride));
  std::int64_t inner = bit_width(dtype) / 8;
  for (std::size_t i = dims.size(); i > 0; --i) {
    strides[i] = inner;
    inner *= static_cast<std::int64_t>(dims[i - 1]);
  }
  Value value(Tensor::strided(dtype, Shape(shape), strides, first, nullptr));
  if (complex) value.set_attribute(attributes::complex, Value(true));
  return value;
}

void expect_column_length(std::size_t found, std::size_t expected, const Decoder& decoder) {
  if (found == expected) return;
  decoder.fail(ErrorCode::shape_mismatch, "a column has another length than the first",
               std::to_string(expected), std::to_string(found));
}

}  // namespace safestructures::detail
