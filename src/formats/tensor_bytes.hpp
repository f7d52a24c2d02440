/// \file
/// The elements of a tensor on their way out, in the dtype in which they are stored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/sink.hpp>
#include <safestructures/data/tensor.hpp>
#include "formats/lossy.hpp"

namespace safestructures::inline v0::detail {

/// Writes the elements, row-major, from where they are or converted in pieces.
/// \throws Error as `Tensor::copy_elements`, what the sink throws
void write_tensor(Sink& sink, StoredElements& elements);

/// The same for a tensor with a name, of which messages speak.
/// \throws Error also `lossy_conversion` for what is refused
ConversionReport write_named_tensor(Sink& sink, const Tensor& tensor, DType dtype,
                                    std::string_view name, const Losses& losses);

/// Calls `use` with the elements, row-major, block by block: (bytes, count). Blocks are of `block`
/// elements but the last; larger where memory is in another order, for the cache's sake.
/// \param block a multiple of 8, for packed elements
template <class Use>
void for_each_block(StoredElements& elements, std::uint64_t block, const Use& use) {
  const Tensor& tensor = elements.tensor();
  const std::uint64_t most =
      std::max<std::uint64_t>(tensor.block_elements(block) / block * block, block);
  std::vector<std::byte> bytes;
  for (std::uint64_t first = 0; first < tensor.size();) {
    const std::uint64_t count = std::min(most, tensor.size() - first);
    const std::uint64_t width = bit_width(elements.dtype());
    bytes.resize(static_cast<std::size_t>(count / 8 * width + count % 8 * width / 8));
    elements.copy(first, count, bytes);
    use(std::span<const std::byte>(bytes), static_cast<std::size_t>(count));
    first += count;
  }
}

}  // namespace safestructures::inline v0::detail
