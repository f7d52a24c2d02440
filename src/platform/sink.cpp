#include "platform/sink.hpp"

#include <algorithm>
#include <cstring>
#include <ostream>

#include <safestructures/data/error.hpp>

#include "platform/matrix_parts.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::platform {
namespace {

// Stays in the second-level cache between being filled and being copied.
constexpr std::size_t block_size = std::size_t{256} << 10U;

}  // namespace

void VectorSink::expect(std::uint64_t size) {
  if (target_.empty()) reserve_huge(target_, static_cast<std::size_t>(size));
}

void VectorSink::write(std::span<const std::byte> bytes) {
  target_.resize(end());
  prepared_ = 0;
  target_.insert(target_.end(), bytes.begin(), bytes.end());
}

std::span<std::byte> VectorSink::prepare(std::size_t minimum, std::size_t wanted) {
  // A vector zeroes its new elements; in blocks that fit into the cache, that is nearly free.
  const std::size_t size = std::max(minimum, std::min(wanted, block_size));
  const std::size_t begin = end();
  prepared_ = 0;
  target_.resize(begin + size);
  prepared_ = size;
  return std::span(target_).subspan(begin);
}

void VectorSink::produced(std::size_t size) {
  target_.resize(end() + size);
  prepared_ = 0;
}

void VectorSink::compute_matrix(std::uint64_t rows, std::uint64_t row_size, std::size_t unit,
                                const PartProducer& produce) {
  const std::size_t begin = end();
  prepared_ = 0;
  target_.resize(begin + static_cast<std::size_t>(rows * row_size));
  const std::shared_ptr<std::byte> room = allocate_buffer(block_size);
  const MatrixParts parts(rows, row_size, unit, block_size);
  for (std::uint64_t index = 0; index < parts.count(); ++index) {
    const Part part = parts[index];
    produce(part, {room.get(), static_cast<std::size_t>(part.rows) * part.size});
    for (std::uint64_t i = 0; i < part.rows; ++i)
      std::memcpy(
          target_.data() + begin + static_cast<std::size_t>((part.row + i) * row_size + part.begin),
          room.get() + static_cast<std::size_t>(i) * part.size, part.size);
  }
}

void StreamSink::write(std::span<const std::byte> bytes) {
  if (bytes.size() < block_size / 4) return write_copied(bytes);
  send_gathered();
  send(bytes);
  position_ += bytes.size();
}

std::span<std::byte> StreamSink::prepare(std::size_t minimum, std::size_t wanted) {
  if (!buffer_) buffer_ = allocate_buffer(block_size);
  if (block_size - gathered_ < minimum) send_gathered();
  return {buffer_.get() + gathered_, std::min(wanted, block_size - gathered_)};
}

void StreamSink::produced(std::size_t size) {
  gathered_ += size;
  position_ += size;
  if (gathered_ == block_size) send_gathered();
}

void StreamSink::flush() {
  send_gathered();
  target_.flush();
  send({});
}

void StreamSink::send_gathered() {
  send({buffer_.get(), gathered_});
  gathered_ = 0;
}

void StreamSink::send(std::span<const std::byte> bytes) {
  if (!bytes.empty() && target_) {
    target_.write(reinterpret_cast<const char*>(bytes.data()),
                  static_cast<std::streamsize>(bytes.size()));
  }
  if (target_) return;
  throw Error(ErrorCode::cannot_write, "the output stream failed",
              {.file = {},
               .path = {},
               .expected = {},
               .found = {},
               .advice = "Check that the stream is open and that its device has room",
               .offset = position_});
}

}  // namespace safestructures::inline v0::platform
