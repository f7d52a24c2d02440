#include "platform/memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "platform/os.hpp"
#include "platform/parallel.hpp"

namespace safestructures::inline v0::platform {
namespace {

// Large enough that starting a piece costs nothing, small enough that both threads end together.
constexpr std::size_t piece_size = std::size_t{8} << 20U;

// Returns the alignment of a block: huge pages if it fills any. Not for small blocks: requesting an
// alignment from glibc costs 500 more instructions, in total a tenth of loading a tiny file.
std::size_t alignment_of(std::size_t padded_size, std::size_t least) noexcept {
  return padded_size < huge_page ? least : huge_page;
}

void* allocate(std::size_t size, std::size_t least) {
  const std::size_t whole = padded(size);
  const std::size_t alignment = alignment_of(whole, least);
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return ::operator new(whole);
  void* const block = ::operator new(whole, std::align_val_t{alignment});
  advise_huge(block, whole);
  return block;
}

void deallocate(void* block, std::size_t size, std::size_t least) noexcept {
  const std::size_t alignment = alignment_of(padded(size), least);
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    ::operator delete(block);
  } else {
    ::operator delete(block, std::align_val_t{alignment});
  }
}

std::size_t mapped_size(std::size_t size) noexcept {
  const std::size_t page = os::page_size();
  return (std::max(padded(size), page) + page - 1) / page * page;
}

/// Returns null if there is no memory.
void* map(std::size_t mapped_size) noexcept {
  void* const memory = os::map_memory(mapped_size, alignment_of(mapped_size, os::page_size()));
  if (memory != nullptr) advise_huge(memory, mapped_size);
  return memory;
}

}  // namespace

// A small page costs 1.5 us, a huge one 50 us: as much as 33 small ones, but it holds 512. So a
// partial last huge page is completed, as long as that does not add more than half of the requested
// size.
std::size_t padded(std::size_t size) noexcept {
  const std::size_t missing = (huge_page - size % huge_page) % huge_page;
  return missing <= size / 2 && size <= SIZE_MAX - missing ? size + missing : size;
}

void* allocate_block(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }

void free_block(void* block, std::size_t size) noexcept {
  deallocate(block, size, alignof(std::max_align_t));
}

std::shared_ptr<std::byte> allocate_buffer(std::size_t size) {
  return {static_cast<std::byte*>(allocate(size, buffer_alignment)),
          [size](std::byte* block) { deallocate(block, size, buffer_alignment); }};
}

std::shared_ptr<std::byte> map_buffer(std::size_t size) {
  const std::size_t whole = mapped_size(size);
  void* const memory = map(whole);
  // The system also limits the number of mappings.
  if (memory == nullptr) return allocate_buffer(size);
  return {static_cast<std::byte*>(memory),
          [whole](std::byte* block) { os::unmap_memory(block, whole); }};
}

void* map_block(std::size_t size) {
  if (padded(size) < huge_page) return allocate_block(size);
  void* const memory = map(mapped_size(size));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void unmap_block(void* block, std::size_t size) noexcept {
  if (padded(size) < huge_page) free_block(block, size);
  else os::unmap_memory(block, mapped_size(size));
}

std::shared_ptr<std::byte> SharedBlocks::take(std::size_t size) {
  if (padded(size) >= huge_page) return allocate_buffer(size);
  const std::size_t whole = (size + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
  if (!block_ || whole > huge_page - used_) {
    // If its bytes are in no cache, a huge page costs as much as 110 to 280 small ones, too much
    // for a few buffers.
    taken_ += whole;
    if (taken_ < huge_page / 4) return allocate_buffer(size);
    block_ = allocate_buffer(huge_page);
    used_ = 0;
  }
  const std::size_t place = std::exchange(used_, used_ + whole);
  return {block_, block_.get() + place};
}

void advise_huge(void* memory, std::size_t size) noexcept {
  if (size >= huge_page) os::advise_huge_pages(memory, size);
}

void prefault(void* memory, std::size_t size) {
  if (size < two_threads_from) return;
  auto* bytes = static_cast<std::byte*>(memory);
  std::atomic<bool> supported{true};
  in_pieces(size, piece_size, [&](std::size_t offset, std::size_t piece, unsigned) {
    if (supported && !os::populate(bytes + offset, piece)) supported = false;
  });
}

void touch_pages(void* memory, std::size_t size) noexcept {
  static_cast<void>(os::populate(memory, size));
}

void copy(std::byte* to, const std::byte* from, std::size_t size) {
  if (size == 0) return;
  if (size < two_threads_from) {
    std::memcpy(to, from, size);
    return;
  }
  in_pieces(size, piece_size, [&](std::size_t offset, std::size_t piece, unsigned) {
    std::memcpy(to + offset, from + offset, piece);
  });
}

}  // namespace safestructures::inline v0::platform
