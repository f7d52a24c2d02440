#include "data/complex_pairs.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/shape.hpp>
#include "data/deferred.hpp"

namespace safestructures::inline v0::detail {

Tensor as_pairs(const Tensor& tensor) {
  std::vector<std::uint64_t> dims(tensor.shape().begin(), tensor.shape().end());
  dims.push_back(2);
  const DeferredBytes* const later = DeferredBytes::of(tensor);
  if (later != nullptr && !later->is_loaded() && tensor.is_contiguous())
    return Tensor::deferred(DType::F32, Shape(dims), later->shared_source(), later->offset(),
                            later->name());
  const Tensor packed = tensor.contiguous();
  return Tensor::share(DType::F32, Shape(dims), packed.bytes(), packed.owner());
}

bool have_pairs_of(const Shape& pairs, const Tensor& tensor) noexcept {
  const Shape& shape = tensor.shape();
  return tensor.dtype() == DType::C64 && pairs.size() == shape.size() + 1 &&
         pairs[shape.size()] == 2 && std::equal(shape.begin(), shape.end(), pairs.begin());
}

}  // namespace safestructures::inline v0::detail
