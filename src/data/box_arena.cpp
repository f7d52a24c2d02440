#include "data/box_arena.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "platform/memory.hpp"

namespace safestructures::inline v0::detail {
namespace {

// Up to this size a structure is no larger than its nodes: there may be many.
constexpr std::size_t least_total = std::size_t{32} << 10U;
// A block is this many times as large as everything before it. Two are enough to reach huge pages,
// and no structure takes much more than it needs.
constexpr std::size_t growth = 8;
constexpr std::uint64_t all_owners = std::uint64_t{1} << 63U;

constinit thread_local BoxArena* innermost = nullptr;

}  // namespace

BoxArena::BoxArena() noexcept : outer_(std::exchange(innermost, this)) {}

BoxArena::~BoxArena() {
  innermost = outer_;
  end_block();
}

BoxArena::Place BoxArena::allocate(std::size_t size) {
  BoxArena* const arena = innermost;
  if (arena == nullptr) return {::operator new(size), 0};
  const std::size_t whole = (size + 7) / 8 * 8;
  const bool has_room = arena->block_ != nullptr && whole <= arena->block_->size - arena->used_;
  if (!has_room && !arena->begin_block(whole)) {
    arena->total_ += whole;
    return {::operator new(size), 0};
  }
  const auto offset = static_cast<std::uint32_t>(arena->used_);
  arena->used_ += whole;
  ++arena->count_;
  return {reinterpret_cast<std::byte*>(arena->block_) + offset, offset};
}

void BoxArena::free(Place place) noexcept {
  if (place.offset == 0) return ::operator delete(place.memory);
  auto* const begin = static_cast<std::byte*>(place.memory) - place.offset;
  release(reinterpret_cast<Block*>(begin), 1);
}

/// \returns false while a block does not pay off
bool BoxArena::begin_block(std::size_t size) {
  if (block_ != nullptr) total_ += used_;
  end_block();
  if (total_ < least_total) return false;
  const std::size_t whole = std::min(growth * total_, platform::huge_page);
  if (size > whole - sizeof(Block)) return false;
  block_ = new (platform::allocate_block(whole)) Block{all_owners, whole};
  used_ = sizeof(Block);
  count_ = 0;
  return true;
}

void BoxArena::end_block() noexcept {
  if (block_ != nullptr) release(std::exchange(block_, nullptr), all_owners - count_);
}

void BoxArena::release(Block* block, std::uint64_t owners) noexcept {
  if (block->owners.fetch_sub(owners, std::memory_order_acq_rel) == owners)
    platform::free_block(block, block->size);
}

}  // namespace safestructures::inline v0::detail
