#include "formats/stored_tensor.hpp"

#include <cstddef>
#include <span>
#include <utility>

#include "platform/memory.hpp"

namespace safestructures::inline v0::detail {

Tensor tensor_at(const std::shared_ptr<const Source>& source, std::uint64_t offset, DType dtype,
                 Shape shape, bool is_mapped, const std::string& name) {
  const std::uint64_t size = byte_size(dtype, shape);
  if (size == 0 || is_mapped || source->is_in_memory()) {
    SharedBytes view = source->view(offset, static_cast<std::size_t>(size));
    if (reinterpret_cast<std::uintptr_t>(view.bytes.data()) % alignment(dtype) == 0)
      return Tensor::share(dtype, std::move(shape), view.bytes, std::move(view.owner));
  }
  return Tensor::deferred(dtype, std::move(shape), source, offset, name);
}

std::shared_ptr<const Source> brought(const std::shared_ptr<const Source>& source, Access access) {
  if (access != Access::memory || source->is_in_memory()) return source;
  const auto size = static_cast<std::size_t>(source->size());
  std::shared_ptr<std::byte> bytes = platform::allocate_buffer(size);
  source->read(0, {bytes.get(), size});
  return Source::of({bytes.get(), size}, bytes);
}

}  // namespace safestructures::inline v0::detail
