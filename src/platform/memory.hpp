/// \file
/// Large memory that is never touched before it is filled.
///
/// The first touch of fresh memory costs more than filling it: 339 ms for 1 GiB in 4 KiB pages, 52
/// in huge pages, against 61 for reading that much from the page cache (docs/performance.md).
#pragma once

#include <cstddef>
#include <memory>

namespace safestructures::inline v0::platform {

/// The size of a huge page on x86-64 and of the common configuration on AArch64.
inline constexpr std::size_t huge_page = std::size_t{2} << 20U;
/// The least alignment of buffers: a cache line, and enough for every vector instruction.
inline constexpr std::size_t buffer_alignment = 64;

/// `size` uninitialised bytes, aligned to 64 bytes, or to 2 MiB with huge pages advised where they
/// fill at least two thirds of such pages. Never null. \throws std::bad_alloc
[[nodiscard]] std::shared_ptr<std::byte> allocate_buffer(std::size_t size);

/// Buffers that are too small for huge pages each: where there are many, they share some.
class SharedBlocks {
 public:
  /// As `allocate_buffer`. What it lies in is given back with the last buffer there.
  [[nodiscard]] std::shared_ptr<std::byte> take(std::size_t size);

 private:
  std::shared_ptr<std::byte> block_;
  std::size_t used_ = 0;  // Of the block.
  std::size_t taken_ = 0;
};

/// Such memory without an owner, aligned for every fundamental type where it is not in huge pages.
/// \throws std::bad_alloc
[[nodiscard]] void* allocate_block(std::size_t size);
/// Gives such memory back; `size` is that of its allocation.
void free_block(void* block, std::size_t size) noexcept;

/// For a vector that is large and filled once.
template <class T>
struct BlockAllocator {
  static_assert(alignof(T) <= alignof(std::max_align_t));
  using value_type = T;

  BlockAllocator() = default;
  template <class U>
  BlockAllocator(const BlockAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_block(count * sizeof(T))); }
  void deallocate(T* items, std::size_t count) noexcept { free_block(items, count * sizeof(T)); }

  friend bool operator==(BlockAllocator, BlockAllocator) noexcept { return true; }
};

/// Asks for huge pages for memory that somebody else allocated and nobody has touched, such as the
/// storage of a vector after `reserve`. Costs nothing below 2 MiB; never fails.
void advise_huge(void* memory, std::size_t size) noexcept;

/// Reserves room for `count` items in an empty vector or string, in huge pages where they pay.
template <class Container>
void reserve_huge(Container& container, std::size_t count) {
  container.reserve(count);
  advise_huge(container.data(), container.capacity() * sizeof(typename Container::value_type));
}

/// Makes the pages of such memory present, on several threads where that pays, and leaves what they
/// hold alone. To be called right before the memory is filled by one thread; does nothing below
/// 32 MiB. The memory must be writable.
void prefault(void* memory, std::size_t size);

/// Makes the pages that lie wholly in such memory present by one call, and leaves what they hold
/// alone: for a little that will soon be filled piece by piece, which touches each page first.
/// Never fails.
void touch_pages(void* memory, std::size_t size) noexcept;

/// `memcpy`, on several threads where that pays.
void copy(std::byte* to, const std::byte* from, std::size_t size);

}  // namespace safestructures::inline v0::platform
