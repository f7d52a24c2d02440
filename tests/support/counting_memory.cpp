#include "support/counting_memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace counting_memory {

std::atomic<std::size_t> held{0};
std::atomic<std::size_t> most{0};
std::atomic<std::size_t> largest{0};
thread_local bool is_spared = false;

namespace {

constexpr long never = -1;

std::atomic<long> left{never};
std::atomic<bool> ends_once{false};
std::atomic<bool> has_ended{false};

void spend() {
  if (is_spared || left == never) return;
  if (left > 0) {
    --left;
    return;
  }
  if (ends_once && has_ended) return;
  has_ended = true;
  throw std::bad_alloc();
}

void* take(std::size_t size, std::size_t alignment) {
  spend();
  void* memory = nullptr;
  if (::posix_memalign(&memory, std::max(alignment, sizeof(void*)),
                       std::max<std::size_t>(size, 1)) != 0)
    throw std::bad_alloc();
  return memory;
}

void raise(std::atomic<std::size_t>& mark, std::size_t to) noexcept {
  for (std::size_t known = mark; known < to && !mark.compare_exchange_weak(known, to);) {
  }
}

void count(std::size_t size) noexcept {
  raise(most, held += size);
  raise(largest, size);
}

// Where files are mapped: it takes no memory of the process.
std::mutex guard;
std::array<void*, 4096> files{};

bool replace_file(void* known, void* by) noexcept {
  const std::lock_guard lock(guard);
  auto* const found = std::ranges::find(files, known);
  if (found == files.end()) return false;
  *found = by;
  return true;
}

void* allocate(std::size_t size) {
  void* const memory = take(size, alignof(std::max_align_t));
  count(::malloc_usable_size(memory));
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  held -= ::malloc_usable_size(memory);
  std::free(memory);
}

// Of memory that is aligned to a huge page, glibc tells as usable what it mapped for the alignment:
// up to 2 MiB more, as it happens, that nobody touches. So its size is noted in front of it.
void* allocate(std::size_t size, std::align_val_t alignment) {
  const auto front = static_cast<std::size_t>(alignment);
  auto* const memory = static_cast<std::byte*>(take(front + size, front));
  std::memcpy(memory, &size, sizeof size);
  count(size);
  return memory + front;
}

void release(void* memory, std::align_val_t alignment) noexcept {
  if (memory == nullptr) return;
  std::byte* const begin = static_cast<std::byte*>(memory) - static_cast<std::size_t>(alignment);
  std::size_t size = 0;
  std::memcpy(&size, begin, sizeof size);
  held -= size;
  std::free(begin);
}

}  // namespace

void end_after(long allocations, Ends ends) {
  has_ended = false;
  ends_once = ends == Ends::once;
  left = allocations;
}

bool go_on() {
  left = never;
  return has_ended;
}

}  // namespace counting_memory

// NOLINTBEGIN(bugprone-reserved-identifier): the names that the linker's --wrap demands.
extern "C" {
void* __real_mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void* at, std::size_t size);

void* __wrap_mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) {
  const bool is_memory = (flags & MAP_ANONYMOUS) != 0;
  try {
    if (is_memory) counting_memory::spend();
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const memory = __real_mmap(at, size, protection, flags, file, offset);
  if (memory == MAP_FAILED) return memory;
  if (is_memory) counting_memory::raise(counting_memory::most, counting_memory::held += size);
  else counting_memory::replace_file(nullptr, memory);
  return memory;
}
int __wrap_munmap(void* at, std::size_t size) {
  if (!counting_memory::replace_file(at, nullptr)) counting_memory::held -= size;
  return __real_munmap(at, size);
}
}
// NOLINTEND(bugprone-reserved-identifier)

using counting_memory::allocate;
using counting_memory::release;

// All forms that the library and its dependencies use: sanitizers do not let the standard's own
// forms, which they replace, call these.
void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, alignment);
}
// std::stable_sort asks for its room like this.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t alignment) noexcept {
  release(memory, alignment);
}
void operator delete[](void* memory, std::align_val_t alignment) noexcept {
  release(memory, alignment);
}
void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
  release(memory, alignment);
}
void operator delete[](void* memory, std::size_t, std::align_val_t alignment) noexcept {
  release(memory, alignment);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
