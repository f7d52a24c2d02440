// Files and memory on Linux and other POSIX systems.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "platform/memory.hpp"
#include "platform/os.hpp"

namespace safestructures::inline v0::platform::os {
namespace {

int descriptor(const File& file) noexcept { return static_cast<int>(file.native()); }

// Kernels refuse or cut single transfers of 2 GiB and more, some with an error.
constexpr std::size_t largest_transfer = std::size_t{1} << 30;

/// Repeats `call` while it is interrupted. Returns its last result and sets `error` accordingly.
template <class Call>
auto repeat(std::error_code& error, Call call) noexcept {
  error.clear();
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  if (result < 0) error = std::error_code(errno, std::system_category());
  return result;
}

/// Whether the system would read the whole path: it would end at the first NUL and name a different
/// file.
bool is_whole(const std::filesystem::path& path, std::error_code& error) noexcept {
  error.clear();
  if (path.native().find('\0') == std::string::npos) return true;
  error = make_error_code(std::errc::invalid_argument);
  return false;
}

/// Same as `repeat`, for a call that takes a path, which the system must read as a whole.
template <class Call>
int repeat_at(const std::filesystem::path& path, std::error_code& error, Call call) noexcept {
  if (!is_whole(path, error)) return -1;
  return repeat(error, [&] { return call(path.c_str()); });
}

bool is(const std::error_code& error, std::initializer_list<int> numbers) noexcept {
  return std::find(numbers.begin(), numbers.end(), error.value()) != numbers.end();
}

Kind kind_of(mode_t mode) noexcept {
  if (S_ISREG(mode)) return Kind::regular;
  if (S_ISDIR(mode)) return Kind::directory;
  if (S_ISLNK(mode)) return Kind::link;
  if (S_ISFIFO(mode)) return Kind::pipe;
  if (S_ISSOCK(mode)) return Kind::socket;
  if (S_ISCHR(mode) || S_ISBLK(mode)) return Kind::device;
  return Kind::other;
}

Status to_status(const struct stat& from) noexcept {
  return {kind_of(from.st_mode), static_cast<std::uint64_t>(from.st_size),
          static_cast<std::uint32_t>(from.st_mode & 07777), static_cast<std::uint32_t>(from.st_uid),
          static_cast<std::uint32_t>(from.st_gid)};
}

}  // namespace

std::error_code File::close() noexcept {
  if (!is_open()) return {};
  // Not repeated on EINTR: the descriptor is already closed and may have been reused.
  if (::close(static_cast<int>(release())) == 0 || errno == EINTR) return {};
  return {errno, std::system_category()};
}

File open_for_reading(const std::filesystem::path& path, std::error_code& error) noexcept {
  // O_NONBLOCK keeps a pipe without a writer from blocking; regular files ignore it.
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  return File(repeat_at(path, error, [](const char* name) { return ::open(name, flags); }));
}

File create_new(const std::filesystem::path& path, std::uint32_t permissions,
                std::error_code& error) noexcept {
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY;
  const auto mode = static_cast<mode_t>(permissions);
  return File(repeat_at(path, error, [&](const char* name) { return ::open(name, flags, mode); }));
}

File open_for_writing(const std::filesystem::path& path, std::error_code& error) noexcept {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  return File(repeat_at(path, error, [](const char* name) { return ::open(name, flags); }));
}

File open_locked(const std::filesystem::path& path, std::error_code& error) noexcept {
  constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
  constexpr mode_t mode = 0666;
  File file(repeat_at(path, error, [&](const char* name) { return ::open(name, flags, mode); }));
  if (error) return {};
  repeat(error, [&] { return ::flock(descriptor(file), LOCK_EX | LOCK_NB); });
  return error ? File() : std::move(file);
}

void unlock(const File& file) noexcept {
  std::error_code ignored;
  repeat(ignored, [&] { return ::flock(descriptor(file), LOCK_UN); });
}

Status status(const File& file, std::error_code& error) noexcept {
  struct stat found{};
  repeat(error, [&] { return ::fstat(descriptor(file), &found); });
  return error ? Status{} : to_status(found);
}

Status status(const std::filesystem::path& path, std::error_code& error) noexcept {
  struct stat found{};
  repeat_at(path, error, [&](const char* name) { return ::lstat(name, &found); });
  return error ? Status{} : to_status(found);
}

void check_writable(const std::filesystem::path& path, std::error_code& error) noexcept {
  repeat_at(path, error,
            [](const char* name) { return ::faccessat(AT_FDCWD, name, W_OK, AT_EACCESS); });
}

std::size_t read_some(const File& file, std::uint64_t offset, std::span<std::byte> into,
                      std::error_code& error) noexcept {
  // Behind any end; pread(2) would call it an invalid argument.
  if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) return 0;
  const std::size_t size = std::min(into.size(), largest_transfer);
  const ssize_t count = repeat(error, [&] {
    return ::pread(descriptor(file), into.data(), size, static_cast<off_t>(offset));
  });
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

std::size_t write_some(const File& file, std::uint64_t offset, std::span<const Bytes> blocks,
                       std::error_code& error) noexcept {
  std::array<iovec, most_blocks> vectors;
  std::size_t used = 0;
  std::size_t left = largest_transfer;
  for (const Bytes block : blocks) {
    if (used == vectors.size() || left == 0) break;
    const std::size_t size = std::min(block.size(), left);
    // writev only reads; its interface cannot say so.
    vectors[used++] = {const_cast<std::byte*>(block.data()), size};
    left -= size;
  }
  const ssize_t count = repeat(error, [&] {
    return ::pwritev(descriptor(file), vectors.data(), static_cast<int>(used),
                     static_cast<off_t>(offset));
  });
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

void reserve(const File& file, std::uint64_t size, std::error_code& error) noexcept {
  error.clear();
#if defined(__linux__)
  // posix_fallocate would fall back to writing every block, so the file would be written twice.
  repeat(error, [&] { return ::fallocate(descriptor(file), 0, 0, static_cast<off_t>(size)); });
  if (is(error, {EOPNOTSUPP, ENOSYS, EINVAL, ENODEV, EPERM})) error.clear();
#else
  static_cast<void>(file);
  static_cast<void>(size);
#endif
}

void resize(const File& file, std::uint64_t size, std::error_code& error) noexcept {
  repeat(error, [&] { return ::ftruncate(descriptor(file), static_cast<off_t>(size)); });
}

void keep_access(const File& file, const Status& existing, std::error_code& error) noexcept {
  const Status created = status(file, error);
  if (error) return;
  auto permissions = static_cast<mode_t>(existing.permissions & 0777);
  if (created.owner != existing.owner || created.group != existing.group) {
    const auto group = static_cast<gid_t>(existing.group);
    const bool kept = ::fchown(descriptor(file), existing.owner, group) == 0 ||
                      ::fchown(descriptor(file), static_cast<uid_t>(-1), group) == 0;
    const auto others = static_cast<mode_t>(permissions & 0007);
    if (!kept) permissions &= static_cast<mode_t>(0707U | (others << 3U));
  }
  if ((created.permissions & 0777) == permissions) return;
  repeat(error, [&] { return ::fchmod(descriptor(file), permissions); });
  // FAT and some network file systems have no permissions to keep.
  if (is(error, {EPERM, EOPNOTSUPP, ENOSYS})) error.clear();
}

void synchronise(const File& file, std::error_code& error) noexcept {
  repeat(error, [&] { return ::fsync(descriptor(file)); });
}

void synchronise_folder(const std::filesystem::path& folder, std::error_code& error) noexcept {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  const File opened(repeat_at(folder, error, [](const char* name) { return ::open(name, flags); }));
  if (error) return;
  repeat(error, [&] { return ::fsync(descriptor(opened)); });
  if (is(error, {EINVAL, EROFS, EOPNOTSUPP})) error.clear();
}

void rename(const std::filesystem::path& from, const std::filesystem::path& to,
            std::error_code& error) noexcept {
  if (!is_whole(to, error)) return;
  repeat_at(from, error, [&](const char* name) { return ::rename(name, to.c_str()); });
}

void remove(const std::filesystem::path& path, std::error_code& error) noexcept {
  repeat_at(path, error, [](const char* name) { return ::unlink(name); });
}

Listing::Listing(const std::filesystem::path& folder, std::error_code& error) noexcept {
  if (!is_whole(folder, error)) return;
  stream_ = ::opendir(folder.c_str());
  if (stream_ == nullptr) error = std::error_code(errno, std::system_category());
}

Listing::~Listing() {
  if (stream_ != nullptr) ::closedir(static_cast<DIR*>(stream_));
}

std::string_view Listing::next(std::error_code& error) noexcept {
  error.clear();
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(static_cast<DIR*>(stream_));
    if (entry == nullptr) {
      if (errno != 0) error = std::error_code(errno, std::system_category());
      return {};
    }
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return name;
  }
}

void advise_sequential(const File& file) noexcept {
#if defined(POSIX_FADV_SEQUENTIAL)
  static_cast<void>(::posix_fadvise(descriptor(file), 0, 0, POSIX_FADV_SEQUENTIAL));
#else
  static_cast<void>(file);
#endif
}

bool is_cached(const File& file, std::uint64_t offset) noexcept {
#if defined(RWF_NOWAIT)
  char byte = 0;
  const iovec into{&byte, 1};
  return ::preadv2(descriptor(file), &into, 1, static_cast<off_t>(offset), RWF_NOWAIT) >= 0 ||
         errno != EAGAIN;
#else
  static_cast<void>(file), static_cast<void>(offset);
  return true;
#endif
}

void reserve_behind(const File& file, std::uint64_t offset, std::uint64_t size) noexcept {
#if defined(__linux__)
  static_cast<void>(::fallocate(descriptor(file), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                                static_cast<off_t>(size)));
#else
  static_cast<void>(file), static_cast<void>(offset), static_cast<void>(size);
#endif
}

void start_writeback(const File& file, std::uint64_t offset, std::uint64_t size) noexcept {
#if defined(__linux__)
  static_cast<void>(::sync_file_range(descriptor(file), static_cast<off_t>(offset),
                                      static_cast<off_t>(size), SYNC_FILE_RANGE_WRITE));
#else
  static_cast<void>(file), static_cast<void>(offset), static_cast<void>(size);
#endif
}

const std::byte* map(const File& file, std::uint64_t offset, std::size_t size,
                     std::error_code& error) noexcept {
  error.clear();
  void* address =
      ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor(file), static_cast<off_t>(offset));
  if (address != MAP_FAILED) return static_cast<const std::byte*>(address);
  error = std::error_code(errno, std::system_category());
  return nullptr;
}

void unmap(const std::byte* address, std::size_t size) noexcept {
  ::munmap(const_cast<std::byte*>(address), size);
}

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

void* map_memory(std::size_t size, std::size_t alignment) noexcept {
  // A mapping begins at any page, so enough for an aligned part is mapped, and the ends returned.
  const std::size_t spare = std::max(alignment, page_size()) - page_size();
  if (size > SIZE_MAX - spare) return nullptr;
  void* const whole =
      ::mmap(nullptr, size + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (whole == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(whole);
  const std::size_t front =
      (alignment - reinterpret_cast<std::uintptr_t>(whole) % alignment) % alignment;
  if (front != 0) unmap_memory(begin, front);
  if (front != spare) unmap_memory(begin + front + size, spare - front);
  return begin + front;
}

void unmap_memory(void* address, std::size_t size) noexcept { ::munmap(address, size); }

void advise_huge_pages(void* address, std::size_t size) noexcept {
#if defined(MADV_HUGEPAGE)
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t first = (begin + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t last = (begin + size) / huge_page * huge_page;
  if (first < last) {
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
#else
  static_cast<void>(address), static_cast<void>(size);
#endif
}

bool populate(void* address, std::size_t size) noexcept {
#if defined(MADV_POPULATE_WRITE)
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t page = page_size();
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + size) / page * page;
  if (first >= last) return true;
  std::error_code error;
  repeat(error, [&] {
    return ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
  });
  return !error;
#else
  static_cast<void>(address), static_cast<void>(size);
  return false;
#endif
}

}  // namespace safestructures::inline v0::platform::os
