#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>
#include "data/conversion/convert_strided.hpp"
#include "data/conversion/strided.hpp"
#include "data/deferred.hpp"
#include "data/text/printable.hpp"
#include "platform/memory.hpp"
#include "platform/parallel.hpp"

namespace safestructures::inline v0 {
namespace {

// How much one step converts or compares: source and target fit into a core's second-level cache.
constexpr std::uint64_t block_bytes = std::uint64_t{256} << 10U;
// How much of a deferred tensor is read at once: enough to make a request worthwhile.
constexpr std::uint64_t read_blocks = 16;
// The share of a large copy that a thread takes at once.
constexpr std::size_t piece_bytes = std::size_t{2} << 20U;
// Each of these justifies one more thread: starting one is cheap compared with converting 4 MiB
// into untouched memory.
constexpr std::size_t converted_share = std::size_t{4} << 20U;

// Returns the bytes of a range of elements that begins at a whole byte.
std::uint64_t packed_size(DType dtype, std::uint64_t count) {
  const std::uint64_t width = bit_width(dtype);
  return count / 8 * width + (count % 8 * width + 7) / 8;
}

// Returns the elements of a block, a multiple of 8 so that blocks of any dtype are whole bytes.
std::uint64_t elements_of_block(DType dtype) { return block_bytes * 8 / bit_width(dtype) / 8 * 8; }

// Returns the bytes of a piece that one of several threads copies. A piece of a matrix that lies
// column by column has many rows, so that threads do not read the same cache lines over and over.
std::size_t piece_of(const Tensor& tensor, std::size_t size, std::size_t width, unsigned threads) {
  const std::size_t elements = piece_bytes / width;
  if (tensor.block_elements(elements) == elements) return piece_bytes;
  return std::max(piece_bytes, (size / width / threads + 1) * width);
}

void require_length(std::uint64_t expected, std::uint64_t found) {
  if (expected == found) return;
  throw Error(
      ErrorCode::shape_mismatch, "the target has the wrong length",
      {.expected = detail::counted(expected, "byte"), .found = detail::counted(found, "byte")});
}

}  // namespace

ConversionReport Tensor::copy_to(DType dtype, std::span<std::byte> target,
                                 Overflow overflow) const {
  require_length(packed_size(dtype, size_), target.size());
  // Untouched memory is filled several times faster in huge pages.
  platform::advise_huge(target.data(), target.size());
  if (dtype == dtype_) {
    if (!is_loaded()) {
      promise().read(0, target);
      return {};
    }
    if (!strides_) {
      platform::copy(target.data(), origin(), target.size());
      return {};
    }
    const std::size_t width = detail::element_bytes(dtype_);
    const detail::StridedView view(shape_, strides(), origin_, width);
    const unsigned threads = platform::threads_for(target.size(), converted_share);
    platform::in_pieces(
        target.size(),
        threads == 1 ? target.size() : piece_of(*this, target.size(), width, threads),
        [&](std::size_t offset, std::size_t size, unsigned) {
          view.gather(offset / width, size / width, target.data() + offset);
        },
        threads);
    return {};
  }
  const unsigned threads = platform::threads_for(target.size(), converted_share);
  if (threads == 1 || bit_width(dtype_) < 8 || bit_width(dtype) < 8)
    return copy_elements(0, size_, dtype, target, overflow);
  const std::size_t width = detail::element_bytes(dtype);
  std::mutex mutex;
  ConversionReport report;
  platform::in_pieces(
      target.size(), piece_of(*this, target.size(), width, threads),
      [&](std::size_t offset, std::size_t size, unsigned) {
        ConversionReport part = copy_elements(offset / width, size / width, dtype,
                                              target.subspan(offset, size), overflow);
        const std::lock_guard lock(mutex);
        // Pieces are not processed in order.
        if (part.first_overflow < report.first_overflow) std::swap(part, report);
        report += part;
      },
      threads);
  return report;
}

ConversionReport Tensor::copy_elements(std::uint64_t first, std::uint64_t count, DType dtype,
                                       std::span<std::byte> target, Overflow overflow) const {
  if (first > size_ || count > size_ - first) {
    throw Error(ErrorCode::out_of_range, "the range is outside the tensor",
                {.expected = "a range of " + std::to_string(size_) + " elements",
                 .found = std::to_string(count) + " elements from element " +
                          std::to_string(first) + " on"});
  }
  const auto width = bit_width(dtype_);
  for (const unsigned bits : {width, bit_width(dtype)}) {
    if (bits < 8 && (first % 8 != 0 || (count % 8 != 0 && first + count != size_))) {
      throw Error(ErrorCode::invalid_argument, "the range cuts a packed group of elements",
                  {.expected = "multiples of 8 for elements of " + std::to_string(bits) + " bits",
                   .found = std::to_string(count) + " elements from element " +
                            std::to_string(first) + " on"});
    }
  }
  require_length(packed_size(dtype, count), target.size());
  if (count == 0) return {};
  if (!is_loaded()) return read_elements(first, count, dtype, target, overflow);
  if (!strides_) {
    const std::span source{origin() + first / 8 * width + first % 8 * width / 8,
                           static_cast<std::size_t>(packed_size(dtype_, count))};
    if (dtype == dtype_) {
      std::memcpy(target.data(), source.data(), source.size());
      return {};
    }
    return convert_elements(dtype_, source, dtype, target, count, overflow, first);
  }
  const std::size_t source_width = detail::element_bytes(dtype_);
  const detail::StridedView view(shape_, strides(), origin_, source_width);
  if (dtype == dtype_) {
    view.gather(first, count, target.data());
    return {};
  }
  return detail::convert_strided(view, dtype_, dtype, first, count, target, overflow);
}

// In blocks of its own, so that only one of them is in memory at a time.
ConversionReport Tensor::read_elements(std::uint64_t first, std::uint64_t count, DType dtype,
                                       std::span<std::byte> target, Overflow overflow) const {
  const auto offset_of = [this](std::uint64_t element) { return packed_size(dtype_, element); };
  if (dtype == dtype_) {
    promise().read(offset_of(first), target);
    return {};
  }
  ConversionReport report;
  const std::uint64_t step = std::min(count, elements_of_block(dtype_) * read_blocks);
  std::vector<std::byte> block(static_cast<std::size_t>(packed_size(dtype_, step)));
  for (std::uint64_t done = 0; done < count; done += step) {
    const std::uint64_t now = std::min(step, count - done);
    const std::span<std::byte> source =
        std::span(block).first(static_cast<std::size_t>(packed_size(dtype_, now)));
    promise().read(offset_of(first + done), source);
    const auto from = static_cast<std::size_t>(packed_size(dtype, done));
    const auto size = static_cast<std::size_t>(packed_size(dtype, now));
    report += convert_elements(dtype_, source, dtype, target.subspan(from, size), now, overflow,
                               first + done);
  }
  return report;
}

std::uint64_t Tensor::block_elements(std::uint64_t least) const {
  if (!strides_) return least;
  const detail::StridedView view(shape_, strides(), origin_, detail::element_bytes(dtype_));
  const std::uint64_t best = view.block_elements(least);
  return best == least ? least : best / 8 * 8 + 8;
}

Tensor Tensor::contiguous() const { return strides_ ? clone() : *this; }

Tensor Tensor::clone() const {
  Tensor copy = allocate(dtype_, shape_);
  copy_to(dtype_, copy.mutable_bytes());
  return copy;
}

Tensor Tensor::to(DType dtype, Overflow overflow) const {
  if (dtype == dtype_) return *this;
  Tensor copy = allocate(dtype, shape_);
  copy_to(dtype, copy.mutable_bytes(), overflow);
  return copy;
}

bool operator==(const Tensor& a, const Tensor& b) {
  if (a.dtype_ != b.dtype_ || a.shape_ != b.shape_) return false;
  if (a.size_ == 0) return true;
  const auto size = static_cast<std::size_t>(a.byte_size());
  if (!a.strides_ && !b.strides_ && a.identity() == b.identity()) return true;
  if (!a.strides_ && !b.strides_ && a.is_loaded() && b.is_loaded())
    return std::memcmp(a.origin(), b.origin(), size) == 0;
  const std::uint64_t block = elements_of_block(a.dtype_);
  const std::uint64_t step =
      std::min(a.size_, std::max(a.block_elements(block), b.block_elements(block)));
  std::vector<std::byte> left(static_cast<std::size_t>(packed_size(a.dtype_, step)));
  std::vector<std::byte> right(left.size());
  for (std::uint64_t done = 0; done < a.size_; done += step) {
    const std::uint64_t now = std::min(step, a.size_ - done);
    const auto bytes = static_cast<std::size_t>(packed_size(a.dtype_, now));
    a.copy_elements(done, now, a.dtype_, std::span(left).first(bytes), Overflow::error);
    b.copy_elements(done, now, b.dtype_, std::span(right).first(bytes), Overflow::error);
    if (std::memcmp(left.data(), right.data(), bytes) != 0) return false;
  }
  return true;
}

}  // namespace safestructures::inline v0
