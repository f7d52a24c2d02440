#include "formats/tensor_bytes.hpp"

#include <safestructures/data/error.hpp>
#include "formats/safetensors/json_text.hpp"

namespace safestructures::inline v0::detail {

void write_tensor(Sink& sink, StoredElements& elements) {
  const Tensor& tensor = elements.tensor();
  const DType dtype = elements.dtype();
  // What is deferred goes through the sink's own room, so that it is never in memory as a whole.
  if (tensor.is_contiguous() && tensor.dtype() == dtype && tensor.is_loaded()) {
    sink.write(tensor.bytes());
    return;
  }
  // Whole groups of eight elements, so that sub-byte elements stay whole bytes.
  const std::size_t group = bit_width(dtype);
  const std::uint64_t all = byte_size(dtype, tensor.shape());
  sink.compute(all, group, [&](std::uint64_t offset, std::span<std::byte> room) {
    const std::uint64_t first = offset / group * 8;
    const std::uint64_t count =
        offset + room.size() == all ? tensor.size() - first : room.size() / group * 8;
    elements.copy(first, count, room);
  });
}

ConversionReport write_named_tensor(Sink& sink, const Tensor& tensor, DType dtype,
                                    std::string_view name, const Losses& losses) {
  StoredElements elements(tensor, dtype, losses);
  try {
    write_tensor(sink, elements);
    return elements.finish({});
  } catch (const Error& error) {
    // Only here is the name made readable: for each of 100,000 small tensors that was 14 % of a
    // save.
    throw error.with_path(safetensors::detail::for_message(name));
  }
}

}  // namespace safestructures::inline v0::detail
