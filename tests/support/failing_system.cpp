#include "support/failing_system.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <span>

namespace failing_system {

Script script;
long allocations_left = -1;

}  // namespace failing_system

using failing_system::allocations_left;
using failing_system::script;

namespace {

// Large computed tensors are written by two threads.
std::mutex guard;

/// Notes the call as "name", "name size" or "name offset+size".
void trace(std::string_view call, std::string_view numbers = {}) {
  if (!script.tracing) return;
  const std::lock_guard lock(guard);
  std::string& text = script.trace.emplace_back(call);
  if (!numbers.empty()) text.append(" ").append(numbers);
}
template <class Offset, class Size>
void trace(std::string_view call, Offset offset, Size size) {
  if (script.tracing) trace(call, std::to_string(offset) + "+" + std::to_string(size));
}

/// Whether this call is to fail now.
bool due(std::string_view call) {
  const std::lock_guard lock(guard);
  if (script.call != call || script.times == 0) return false;
  if (script.skip > 0) return --script.skip, false;
  --script.times;
  return true;
}

bool fails(std::string_view call) {
  if ((script.error == 0 && !script.hangs) || !due(call)) return false;
  while (script.hangs) ::pause();
  errno = script.error;
  return true;
}

std::size_t cut(std::string_view call, std::size_t size) {
  return script.error == 0 && due(call) ? std::min(size, script.transfer) : size;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the names that the linker's --wrap demands.
extern "C" {
int __real_open(const char* path, int flags, ...);
int __real_close(int file);
ssize_t __real_pread(int file, void* into, std::size_t size, off_t offset);
ssize_t __real_pwritev(int file, const iovec* blocks, int count, off_t offset);
int __real_fallocate(int file, int mode, off_t offset, off_t size);
int __real_ftruncate(int file, off_t size);
int __real_sync_file_range(int file, off_t offset, off_t size, unsigned flags);
int __real_fsync(int file);
int __real_fchmod(int file, mode_t mode);
int __real_fchown(int file, uid_t owner, gid_t group);
int __real_faccessat(int folder, const char* path, int mode, int flags);
int __real_rename(const char* from, const char* to);
int __real_unlink(const char* path);
void* __real_mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset);

int __wrap_open(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  const bool create = (flags & O_CREAT) != 0;
  if (script.tracing) {
    const std::lock_guard lock(guard);
    script.open_flags.push_back(flags);
    if (create) script.create_modes.push_back(mode);
  }
  trace(create ? "create" : (flags & O_DIRECTORY) != 0 ? "open folder" : "open");
  return fails(create ? "create" : "open") ? -1 : __real_open(path, flags, mode);
}
int __wrap_close(int file) {
  trace("close");
  const int result = __real_close(file);
  return fails("close") ? -1 : result;
}
ssize_t __wrap_pread(int file, void* into, std::size_t size, off_t offset) {
  trace("read");
  return fails("read") ? -1 : __real_pread(file, into, cut("read", size), offset);
}
ssize_t __wrap_pwritev(int file, const iovec* blocks, int count, off_t offset) {
  if (fails("write")) return -1;
  std::size_t size = 0;
  for (const iovec& block : std::span(blocks, static_cast<std::size_t>(count))) {
    size += block.iov_len;
  }
  const std::size_t taken = cut("write", size);
  trace("write", offset, taken);
  if (taken == size) return __real_pwritev(file, blocks, count, offset);
  const iovec first{blocks->iov_base, std::min(blocks->iov_len, taken)};
  return __real_pwritev(file, &first, 1, offset);
}
int __wrap_fallocate(int file, int mode, off_t offset, off_t size) {
  if (script.tracing) trace("fallocate", std::to_string(size));
  return fails("fallocate") ? -1 : __real_fallocate(file, mode, offset, size);
}
int __wrap_ftruncate(int file, off_t size) {
  if (script.tracing) trace("ftruncate", std::to_string(size));
  return fails("ftruncate") ? -1 : __real_ftruncate(file, size);
}
int __wrap_sync_file_range(int file, off_t offset, off_t size, unsigned flags) {
  trace("sync", offset, size);
  return fails("sync") ? -1 : __real_sync_file_range(file, offset, size, flags);
}
int __wrap_fsync(int file) {
  trace("fsync");
  return fails("fsync") ? -1 : __real_fsync(file);
}
int __wrap_fchmod(int file, mode_t mode) {
  trace("fchmod");
  return fails("fchmod") ? -1 : __real_fchmod(file, mode);
}
int __wrap_fchown(int file, uid_t owner, gid_t group) {
  trace("fchown");
  return fails("fchown") ? -1 : __real_fchown(file, owner, group);
}
int __wrap_faccessat(int folder, const char* path, int mode, int flags) {
  script.access_flags = flags;
  return __real_faccessat(folder, path, mode, flags);
}
int __wrap_rename(const char* from, const char* to) {
  trace("rename");
  return fails("rename") ? -1 : __real_rename(from, to);
}
int __wrap_unlink(const char* path) {
  trace("unlink");
  return fails("unlink") ? -1 : __real_unlink(path);
}
void* __wrap_mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) {
  return fails("mmap") ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

// Not inlined: GCC 14 would see memory of operator new given to free, and warn.
[[gnu::noinline]] void* allocate(std::size_t size, std::size_t alignment) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  void* memory = nullptr;
  if (::posix_memalign(&memory, std::max(alignment, sizeof(void*)),
                       std::max<std::size_t>(size, 1)) != 0) {
    throw std::bad_alloc();
  }
  return memory;
}

[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
// std::stable_sort's.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size, alignof(std::max_align_t));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
