#include "data/rows.hpp"

#include <cstddef>
#include <utility>

#include "data/deferred.hpp"

namespace safestructures::inline v0::detail {

std::shared_ptr<const Source> source_of(const Tensor& tensor) {
  const DeferredBytes* const promise = DeferredBytes::of(tensor);
  return promise == nullptr || promise->is_loaded() ? nullptr : promise->shared_source();
}

Tensor row_of(const Tensor& tensor, std::uint64_t row,
              const std::shared_ptr<const Source>& source) {
  Shape shape(tensor.shape().span().subspan(1));
  const std::uint64_t size = byte_size(tensor.dtype(), shape);
  if (source) {
    const DeferredBytes& promise = *DeferredBytes::of(tensor);
    return Tensor::deferred(tensor.dtype(), std::move(shape), source, promise.offset() + row * size,
                            promise.name());
  }
  const auto bytes =
      tensor.bytes().subspan(static_cast<std::size_t>(row * size), static_cast<std::size_t>(size));
  return Tensor::share(tensor.dtype(), std::move(shape), bytes, tensor.owner());
}

}  // namespace safestructures::inline v0::detail
