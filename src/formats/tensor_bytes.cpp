#include "formats/tensor_bytes.hpp"
#include "data/text/printable.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::detail {
namespace {

// The records of a batch then take about 1 MiB, and its bytes 8 MiB if each tensor has 1 KiB.
constexpr std::size_t most_pending = 8192;
// Unconverted data below this size is copied into a batch; larger data is passed to the sink by
// reference.
constexpr std::uint64_t copied_below = std::uint64_t{64} << 10U;

// From this size on, a matrix is worth a batch of its own: several threads then compute it.
constexpr std::uint64_t matrix_from = std::uint64_t{8} << 20U;
// It is written in parts if rows that share cache lines do not fit into this: whatever the sink, it
// computes less at once, or little more.
constexpr std::size_t computed_block = std::size_t{1} << 20U;

bool is_as_stored(const Tensor& tensor, DType dtype) {
  // A deferred tensor goes through the sink's own buffer, so that it is never entirely in memory.
  return tensor.is_contiguous() && tensor.dtype() == dtype && tensor.is_loaded();
}

std::optional<StridedView::Extent> matrix_of(const StoredElements& elements) {
  const Tensor& tensor = elements.tensor();
  if (tensor.is_contiguous() || byte_size(elements.dtype(), tensor.shape()) < matrix_from)
    return std::nullopt;
  return elements.as_matrix(computed_block);
}

void write_matrix(Sink& sink, StoredElements& elements, StridedView::Extent matrix) {
  const std::size_t width = element_bytes(elements.dtype());
  const auto produce = [&](const Sink::Part& part, std::span<std::byte> room) {
    elements.copy_part(matrix.columns, {part.row, part.rows, part.begin / width, part.size / width},
                       room);
  };
  try {
    sink.compute_matrix(matrix.rows, matrix.columns * width, width, produce);
  } catch (const Error& error) {
    // Parts come in any order: if several elements cannot be converted, this finds the first.
    if (error.code() != ErrorCode::cannot_write)
      for_each_block(elements, computed_block, [](std::span<const std::byte>, std::size_t) {});
    throw;
  }
}

}  // namespace

void write_tensor(Sink& sink, StoredElements& elements) {
  const Tensor& tensor = elements.tensor();
  const DType dtype = elements.dtype();
  if (is_as_stored(tensor, dtype)) {
    sink.write(tensor.bytes());
    return;
  }
  if (const auto matrix = matrix_of(elements)) return write_matrix(sink, elements, *matrix);
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
    // The name is made readable only here: doing so for each of 100,000 small tensors took 14 % of
    // a save.
    throw error.with_path(detail::for_message(name));
  }
}

void TensorWriter::add(std::size_t index, const Tensor& tensor, DType dtype,
                       std::string_view name) {
  const bool as_stored = is_as_stored(tensor, dtype);
  if (as_stored && pending_.empty()) return write_as_stored(tensor, name);
  const std::uint64_t size = byte_size(dtype, tensor.shape());
  // Elements narrower than a byte cannot be split at every position.
  const bool is_alone = bit_width(dtype) < 8 || bit_width(tensor.dtype()) < 8 ||
                        (as_stored && size >= copied_below) ||
                        matrix_of(StoredElements(tensor, dtype, losses_)).has_value();
  const bool fits =
      !pending_.empty() && elements_.back().dtype() == dtype && pending_.size() < most_pending;
  if (!pending_.empty() && (is_alone || !fits)) flush();
  if (is_alone) return write_one(index, tensor, dtype, name);
  const std::uint64_t begin = pending_.empty() ? 0 : pending_.back().end;
  elements_.emplace_back(tensor, dtype, losses_);
  pending_.push_back({index, name, begin + size});
}

void TensorWriter::write_as_stored(const Tensor& tensor, std::string_view name) {
  try {
    sink_.write(tensor.bytes());
  } catch (const Error& error) {
    throw error.with_path(detail::for_message(name));
  }
}

void TensorWriter::write_one(std::size_t index, const Tensor& tensor, DType dtype,
                             std::string_view name) {
  const ConversionReport done = write_named_tensor(sink_, tensor, dtype, name, losses_);
  if (done != ConversionReport{}) report_(index, done);
}

void TensorWriter::flush() {
  if (pending_.empty()) return;
  std::mutex mutex;
  std::size_t failed = pending_.size();
  try {
    const std::size_t unit = bit_width(elements_.front().dtype()) / 8;
    sink_.compute(pending_.back().end, unit, [&](std::uint64_t offset, std::span<std::byte> room) {
      std::size_t tensor = 0;
      try {
        produce(offset, room, tensor);
      } catch (const Error& error) {
        const std::lock_guard lock(mutex);
        failed = std::min(failed, tensor);
        throw error.with_path(detail::for_message(pending_[tensor].name));
      }
    });
  } catch (const Error&) {
    // If an earlier tensor is refused, its error comes first, as if they were written one at a
    // time.
    if (failed < pending_.size()) report(failed);
    throw;
  }
  report(pending_.size());
  pending_.clear();
  elements_.clear();
}

void TensorWriter::produce(std::uint64_t offset, std::span<std::byte> room, std::size_t& tensor) {
  const auto found = std::ranges::upper_bound(pending_, offset, {}, &Pending::end);
  tensor = static_cast<std::size_t>(found - pending_.begin());
  for (; !room.empty(); ++tensor) {
    const std::uint64_t begin = tensor == 0 ? 0 : pending_[tensor - 1].end;
    const auto size = static_cast<std::size_t>(
        std::min<std::uint64_t>(room.size(), pending_[tensor].end - offset));
    const std::size_t unit = bit_width(elements_[tensor].dtype()) / 8;
    elements_[tensor].copy((offset - begin) / unit, size / unit, room.first(size));
    offset += size;
    room = room.subspan(size);
    if (room.empty()) return;
  }
}

void TensorWriter::report(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    try {
      const ConversionReport done = elements_[i].finish({});
      if (done != ConversionReport{}) report_(pending_[i].index, done);
    } catch (const Error& error) {
      throw error.with_path(detail::for_message(pending_[i].name));
    }
  }
}

}  // namespace safestructures::inline v0::detail
