#include "data/rows.hpp"

#include <utility>

#include "data/deferred.hpp"

namespace safestructures::inline v0::detail {

Tensor row_of(const Tensor& tensor, std::uint64_t row) {
  Shape shape(tensor.shape().span().subspan(1));
  const std::uint64_t size = byte_size(tensor.dtype(), shape);
  const DeferredBytes* const promise = DeferredBytes::of(tensor);
  if (promise != nullptr && !promise->is_loaded())
    return Tensor::deferred(tensor.dtype(), std::move(shape), promise->shared_source(),
                            promise->offset() + row * size, promise->name());
  const auto bytes =
      tensor.bytes().subspan(static_cast<std::size_t>(row * size), static_cast<std::size_t>(size));
  return Tensor::share(tensor.dtype(), std::move(shape), bytes, tensor.owner());
}

}  // namespace safestructures::inline v0::detail
