#include "recording/recorder/buffer_pool.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <utility>

#include "platform/memory.hpp"

namespace safestructures::inline v0::recording {
namespace {

// A huge page: records that wait together are stored together, and released together.
constexpr std::size_t block_size = platform::huge_page;
constexpr std::size_t largest_small = block_size / 4;

std::size_t aligned(std::size_t size) noexcept {
  return (size + platform::buffer_alignment - 1) / platform::buffer_alignment *
         platform::buffer_alignment;
}

/// Rounds up, by at most an eighth, so that nearly equal sizes share buffers, and then to the size
/// that is requested from the system.
std::size_t capacity_of(std::size_t size) noexcept {
  const std::size_t unit = std::max(std::bit_floor(size) / 8, platform::buffer_alignment);
  return platform::padded((size + unit - 1) / unit * unit);
}

}  // namespace

BufferPool::BufferPool(std::uint64_t most_kept, const std::atomic<std::uint64_t>& used)
    : used_(used), shelf_(std::make_shared<Shelf>()) {
  // Leaves room for additions.
  shelf_->most_kept = std::min(most_kept, std::numeric_limits<std::uint64_t>::max() / 2);
}

void BufferPool::Shelf::shrink_to(std::uint64_t most) noexcept {
  while (kept > most) {
    auto oldest = free.end();
    for (auto same = free.begin(); same != free.end(); ++same) {
      if (same->second.buffers.empty()) continue;
      if (oldest == free.end() || same->second.last_use < oldest->second.last_use) oldest = same;
    }
    oldest->second.buffers.pop_back();
    kept -= oldest->first;
  }
}

std::uint64_t BufferPool::memory_of(std::uint64_t size) noexcept {
  if (size > largest_small) return capacity_of(static_cast<std::size_t>(size));
  // Of a block with few buffers, up to a fifth is left over.
  return size > block_size / 16
             ? block_size / (block_size / aligned(static_cast<std::size_t>(size)))
             : size;
}

void BufferPool::leave_room() noexcept {
  const std::uint64_t most = shelf_->most_kept + shelf_->most_kept / 8;
  const std::uint64_t used = used_.load(std::memory_order_relaxed);
  const std::uint64_t kept = shelf_->kept.load(std::memory_order_relaxed);
  if (kept == 0 || kept + used <= most) return;
  const std::lock_guard lock(shelf_->mutex);
  shelf_->shrink_to(most - std::min(used, most));
}

void BufferPool::Return::operator()(std::byte*) noexcept {
  const std::lock_guard lock(shelf->mutex);
  if (capacity > shelf->most_kept) return;
  try {
    Same& same = shelf->free[capacity];
    same.last_use = ++shelf->uses;
    shelf->shrink_to(shelf->most_kept - capacity);
    same.buffers.push_back(std::move(buffer));
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
    if (found != shelf_->free.end() && !found->second.buffers.empty()) {
      std::vector<std::shared_ptr<std::byte>>& buffers = found->second.buffers;
      buffer = std::move(buffers.back());  // The last one returned is still in the cache.
      buffers.pop_back();
      found->second.last_use = ++shelf_->uses;
      shelf_->kept -= capacity;
    }
  }
  if (!buffer) {
    leave_room();
    buffer = platform::map_buffer(capacity);
  }
  std::byte* const bytes = buffer.get();
  return {bytes, Return{shelf_, std::move(buffer), capacity}};
}

std::shared_ptr<std::byte> BufferPool::take(std::size_t size) {
  if (size > largest_small) return take_whole(size);
  const std::size_t rounded = aligned(std::max<std::size_t>(size, 1));
  const std::lock_guard lock(mutex_);
  auto block = std::ranges::find_if(blocks_, [&](const Block& one) { return one.left >= rounded; });
  if (block == blocks_.end()) {
    // In place of the fuller one: in the other, smaller buffers still find room.
    block = std::ranges::min_element(blocks_, {}, &Block::left);
    *block = {take_whole(block_size), block_size};
  }
  std::byte* const end = block->bytes.get() + block_size;
  return {block->bytes, end - std::exchange(block->left, block->left - rounded)};
}

}  // namespace safestructures::inline v0::recording
