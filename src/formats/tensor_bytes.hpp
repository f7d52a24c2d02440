/// \file
/// Writes the elements of tensors in the dtype in which they are stored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/sink.hpp>
#include <safestructures/data/tensor.hpp>
#include "formats/lossy.hpp"

namespace safestructures::inline v0::detail {

/// Writes the elements in row-major order, directly from memory or converted in pieces.
/// \throws Error as `Tensor::copy_elements`, and what the sink throws
void write_tensor(Sink& sink, StoredElements& elements);

/// Does the same for a tensor with a name, which messages mention.
/// \throws Error also `lossy_conversion` for a loss that is refused
ConversionReport write_named_tensor(Sink& sink, const Tensor& tensor, DType dtype,
                                    std::string_view name, const Losses& losses);

/// Writes tensors one after the other without gaps. Tensors that must be converted or reordered are
/// gathered into batches, and each batch is divided among threads by its total bytes, not by
/// tensor.
class TensorWriter {
 public:
  /// A callback that receives the report of each conversion that had an effect, in the order of the
  /// tensors.
  using Report = std::function<void(std::size_t index, const ConversionReport& report)>;

  /// `sink` must outlive this.
  TensorWriter(Sink& sink, const Losses& losses, Report report)
      : sink_(sink), losses_(losses), report_(std::move(report)) {}

  /// Takes the next tensor; `index` is passed to the report. Name and tensor must outlive `flush`.
  /// \throws Error as `write_named_tensor`, for the first tensor that fails: this one or an earlier
  /// one
  void add(std::size_t index, const Tensor& tensor, DType dtype, std::string_view name);
  /// Writes what is left; must be called after the last `add`. \throws Error as `add`
  void flush();

 private:
  struct Pending {
    std::size_t index;
    std::string_view name;
    std::uint64_t end;  // In the batch.
  };
  void write_as_stored(const Tensor& tensor, std::string_view name);
  void write_one(std::size_t index, const Tensor& tensor, DType dtype, std::string_view name);
  void produce(std::uint64_t offset, std::span<std::byte> room, std::size_t& tensor);
  /// Reports the conversions of the first `count` tensors of the batch.
  void report(std::size_t count);

  Sink& sink_;
  Losses losses_;
  Report report_;
  std::vector<Pending> pending_;
  std::deque<StoredElements> elements_;  // Of the pending tensors; they cannot be moved.
};

/// Calls `use(bytes, count)` with the elements in row-major order, block by block. Every block but
/// the last has `block` elements, or more if memory is in another order, for the cache's sake.
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
