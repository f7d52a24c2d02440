#include "recording/recorder/buffer_pool.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "platform/memory.hpp"

namespace safestructures::inline v0::recording {
namespace {

// A huge page: records that wait together are stored together, and released together.
constexpr std::size_t block_size = platform::huge_page;
constexpr std::size_t largest_small = block_size / 4;

/// Rounds up, by at most an eighth, so that nearly equal sizes share buffers.
std::size_t capacity_of(std::size_t size) noexcept {
  const std::size_t unit = std::max(std::bit_floor(size) / 8, platform::buffer_alignment);
  return (size + unit - 1) / unit * unit;
}

}  // namespace

BufferPool::BufferPool(std::uint64_t most_kept) : shelf_(std::make_shared<Shelf>()) {
  shelf_->most_kept = most_kept;
}

void BufferPool::Return::operator()(std::byte*) noexcept {
  const std::lock_guard lock(shelf->mutex);
  if (shelf->kept + capacity > shelf->most_kept) return;
  try {
    shelf->free[capacity].push_back(std::move(buffer));
    shelf->kept += capacity;
  } catch (const std::bad_alloc&) {
    // If so, the buffer is freed.
  }
}

std::shared_ptr<std::byte> BufferPool::take_whole(std::size_t size) {
  const std::size_t capacity = capacity_of(size);
  std::shared_ptr<std::byte> buffer;
  {
    const std::lock_guard lock(shelf_->mutex);
    const auto found = shelf_->free.find(capacity);
    if (found != shelf_->free.end() && !found->second.empty()) {
      buffer = std::move(found->second.back());  // The last one returned is still in the cache.
      found->second.pop_back();
      shelf_->kept -= capacity;
    }
  }
  if (!buffer) buffer = platform::allocate_buffer(capacity);
  std::byte* const bytes = buffer.get();
  return {bytes, Return{shelf_, std::move(buffer), capacity}};
}

std::shared_ptr<std::byte> BufferPool::take(std::size_t size) {
  if (size > largest_small) return take_whole(size);
  const std::size_t rounded = (size + platform::buffer_alignment - 1) / platform::buffer_alignment *
                              platform::buffer_alignment;
  const std::lock_guard lock(mutex_);
  if (!block_ || block_size - used_ < rounded) {
    block_ = take_whole(block_size);
    used_ = 0;
  }
  std::shared_ptr<std::byte> part(block_, block_.get() + used_);
  used_ += rounded;
  return part;
}

}  // namespace safestructures::inline v0::recording
