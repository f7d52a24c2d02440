/// \file
/// Allocates large memory without touching it before it is filled.
///
/// The first touch of fresh memory costs more than filling it: for 1 GiB, 339 ms in 4 KiB pages and
/// 52 ms in huge pages, compared with 61 ms for reading that much from the page cache
/// (docs/performance.md).
#pragma once

#include <cstddef>
#include <memory>

namespace safestructures::inline v0::platform {

/// The size of a huge page on x86-64, and in the common configuration on AArch64.
inline constexpr std::size_t huge_page = std::size_t{2} << 20U;
/// The minimum alignment of buffers: a cache line, and enough for every vector instruction.
inline constexpr std::size_t buffer_alignment = 64;

/// Returns the bytes that a buffer or a block of `size` bytes takes: more if that completes its
/// last huge page.
[[nodiscard]] std::size_t padded(std::size_t size) noexcept;

/// Returns `size` uninitialised bytes, aligned to 64 bytes, or to 2 MiB with huge pages advised if
/// they fill at least two thirds of such pages. Never null. \throws std::bad_alloc
[[nodiscard]] std::shared_ptr<std::byte> allocate_buffer(std::size_t size);

/// Returns the same, but mapped by itself: freed, it returns to the system, whatever else is in
/// use. glibc maps large memory as well, but not after memory as large was freed: from then on it
/// comes from a heap, of which only the end returns.
[[nodiscard]] std::shared_ptr<std::byte> map_buffer(std::size_t size);

/// Allocates buffers too small for huge pages of their own: if there are many, they share some.
class SharedBlocks {
 public:
  /// Same as `allocate_buffer`. The shared memory is freed with the last buffer in it.
  [[nodiscard]] std::shared_ptr<std::byte> take(std::size_t size);

 private:
  std::shared_ptr<std::byte> block_;
  std::size_t used_ = 0;  // Bytes of the block.
  std::size_t taken_ = 0;
};

/// Returns such memory without an owner, aligned for every fundamental type if not in huge pages.
/// \throws std::bad_alloc
[[nodiscard]] void* allocate_block(std::size_t size);
/// Frees such memory; `size` is that of its allocation.
void free_block(void* block, std::size_t size) noexcept;

/// The same, but mapped by itself if it is in huge pages.
/// @{
[[nodiscard]] void* map_block(std::size_t size);
void unmap_block(void* block, std::size_t size) noexcept;
/// @}

/// An allocator for a vector that is large and filled once.
template <class T, auto allocate_bytes = allocate_block, auto free_bytes = free_block>
struct BlockAllocator {
  static_assert(alignof(T) <= alignof(std::max_align_t));
  using value_type = T;
  template <class U>
  struct rebind {
    using other = BlockAllocator<U, allocate_bytes, free_bytes>;
  };

  BlockAllocator() = default;
  template <class U>
  BlockAllocator(const BlockAllocator<U, allocate_bytes, free_bytes>&) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_bytes(count * sizeof(T))); }
  void deallocate(T* items, std::size_t count) noexcept { free_bytes(items, count * sizeof(T)); }

  friend bool operator==(BlockAllocator, BlockAllocator) noexcept { return true; }
};

/// The same for one that is freed while others stay.
template <class T>
using MappedAllocator = BlockAllocator<T, map_block, unmap_block>;

/// Advises huge pages for untouched memory that was allocated elsewhere, such as the storage of a
/// vector after `reserve`. Costs nothing below 2 MiB; never fails.
void advise_huge(void* memory, std::size_t size) noexcept;

/// Reserves room for `count` items in an empty vector or string, in huge pages if they pay off.
template <class Container>
void reserve_huge(Container& container, std::size_t count) {
  container.reserve(count);
  advise_huge(container.data(), container.capacity() * sizeof(typename Container::value_type));
}

/// Makes the pages of such memory present without changing their content, on several threads if
/// that pays off. Call right before one thread fills the memory; does nothing below 32 MiB. The
/// memory must be writable.
void prefault(void* memory, std::size_t size);

/// Makes the pages entirely inside such memory present in one call, without changing their content:
/// for small memory that will soon be filled piece by piece, which would touch each page
/// separately. Never fails.
void touch_pages(void* memory, std::size_t size) noexcept;

/// Same as `memcpy`, on several threads if that pays off.
void copy(std::byte* to, const std::byte* from, std::size_t size);

}  // namespace safestructures::inline v0::platform
