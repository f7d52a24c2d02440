#include "formats/stored_tensor.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "formats/tensor_names.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::detail {

namespace {

// A deferred tensor is an object of about 200 bytes with a name, and needs its own read later.
constexpr std::uint64_t copied_bytes = 1024;

}  // namespace

Tensor tensor_at(const std::shared_ptr<const Source>& source, std::uint64_t offset, DType dtype,
                 Shape shape, bool is_mapped, const Trace* trace) {
  const std::uint64_t size = byte_size(dtype, shape);
  if (size == 0 || is_mapped || source->is_in_memory()) {
    SharedBytes view = source->view(offset, static_cast<std::size_t>(size));
    if (reinterpret_cast<std::uintptr_t>(view.bytes.data()) % alignment(dtype) == 0)
      return Tensor::share(dtype, std::move(shape), view.bytes, std::move(view.owner));
    if (size <= copied_bytes) {
      const auto blocks = std::make_shared_for_overwrite<std::max_align_t[]>(
          view.bytes.size() / sizeof(std::max_align_t) + 1);
      const std::span copied(reinterpret_cast<std::byte*>(blocks.get()), view.bytes.size());
      std::ranges::copy(view.bytes, copied.begin());
      return Tensor::share(dtype, std::move(shape), copied, blocks);
    }
  }
  return Tensor::deferred(dtype, std::move(shape), source, offset, place_path(trace));
}

std::shared_ptr<const Source> brought(const std::shared_ptr<const Source>& source, Access access) {
  if (access != Access::memory || source->is_in_memory()) return source;
  const auto size = static_cast<std::size_t>(source->size());
  std::shared_ptr<std::byte> bytes = platform::allocate_buffer(size);
  source->read(0, {bytes.get(), size});
  return Source::of({bytes.get(), size}, bytes);
}

}  // namespace safestructures::inline v0::detail
