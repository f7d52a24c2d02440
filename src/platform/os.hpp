/// \file
/// The only calls into the operating system. A port replaces posix.cpp and posix_process.cpp, which
/// define these functions; the rest of src/platform is portable code on top of them.
///
/// None of them throws: a failure is returned in the `std::error_code`, which is cleared first. A
/// path that contains a NUL, where the system would cut it, fails with `invalid_argument`.
/// Interrupted calls (EINTR) are repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace safestructures::inline v0::platform::os {

/// An open file. Closes itself; a moved-from file is closed.
class File {
 public:
  using Native = std::intptr_t;
  static constexpr Native closed = -1;

  File() noexcept = default;
  explicit File(Native native) noexcept : native_(native) {}
  File(File&& other) noexcept : native_(other.release()) {}
  File& operator=(File&& other) noexcept {
    if (this != &other) {
      static_cast<void>(close());
      native_ = other.release();
    }
    return *this;
  }
  ~File() { static_cast<void>(close()); }

  [[nodiscard]] bool is_open() const noexcept { return native_ != closed; }
  [[nodiscard]] Native native() const noexcept { return native_; }
  /// Closes the file and returns the system's error: a network file system may report here that
  /// earlier writes failed.
  [[nodiscard]] std::error_code close() noexcept;

 private:
  Native release() noexcept { return std::exchange(native_, closed); }
  Native native_ = closed;
};

enum class Kind : std::uint8_t { regular, directory, link, pipe, socket, device, other };

struct Status {
  Kind kind = Kind::other;
  std::uint64_t size = 0;
  std::uint32_t permissions = 0;
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
};

using Bytes = std::span<const std::byte>;

// Opening. These functions neither wait for the other end of a pipe nor let child processes inherit
// the file.
File open_for_reading(const std::filesystem::path& path, std::error_code& error) noexcept;
/// Fails with `file_exists` if the path exists, even as a dangling link.
File create_new(const std::filesystem::path& path, std::uint32_t permissions,
                std::error_code& error) noexcept;
/// Opens an existing file for reading and writing.
File open_for_writing(const std::filesystem::path& path, std::error_code& error) noexcept;
/// Opens a file, creating it if necessary, and locks it until it is closed or the last process that
/// inherited it has ended. Fails at once with `resource_unavailable_try_again` if it is already
/// locked.
File open_locked(const std::filesystem::path& path, std::error_code& error) noexcept;
/// Releases the lock of such a file, in all processes that have it.
void unlock(const File& file) noexcept;

// Examining. The second function does not follow links.
Status status(const File& file, std::error_code& error) noexcept;
Status status(const std::filesystem::path& path, std::error_code& error) noexcept;
/// Clears `error` if the user running this process may write the file.
void check_writable(const std::filesystem::path& path, std::error_code& error) noexcept;

/// More than `AtomicFile` queues, and no more than the system's own limit, 1024 on Linux.
inline constexpr std::size_t most_blocks = 1024;

// Bytes. Both functions may transfer fewer than requested; 0 bytes read without an error is the end
// of the file.
std::size_t read_some(const File& file, std::uint64_t offset, std::span<std::byte> into,
                      std::error_code& error) noexcept;
/// Writes the blocks one after another in one system call, which takes at most `most_blocks`.
std::size_t write_some(const File& file, std::uint64_t offset, std::span<const Bytes> blocks,
                       std::error_code& error) noexcept;

// The file as a whole.
/// Reserves disk space from the start of the file. A file system without this feature is not an
/// error; a full one is.
void reserve(const File& file, std::uint64_t size, std::error_code& error) noexcept;
void resize(const File& file, std::uint64_t size, std::error_code& error) noexcept;
/// Gives the file the permissions of `existing` and, if this user may, its owner and group. If the
/// group cannot be kept, the group gets no more permissions than everybody.
void keep_access(const File& file, const Status& existing, std::error_code& error) noexcept;
void synchronise(const File& file, std::error_code& error) noexcept;
/// Makes a rename in this folder durable. A file system without this feature is not an error.
void synchronise_folder(const std::filesystem::path& folder, std::error_code& error) noexcept;
/// Replaces `to` atomically.
void rename(const std::filesystem::path& from, const std::filesystem::path& to,
            std::error_code& error) noexcept;
void remove(const std::filesystem::path& path, std::error_code& error) noexcept;
inline void remove(const std::filesystem::path& path) noexcept {
  std::error_code ignored;
  os::remove(path, ignored);
}

/// The names in a folder, in no particular order. std::filesystem::directory_iterator of GCC 12
/// allocates memory where it may not throw: if there is none, the program ends.
class Listing {
 public:
  Listing(const std::filesystem::path& folder, std::error_code& error) noexcept;
  ~Listing();
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;
  /// Returns the next name, valid until the next call; empty after the last one, or on an error.
  /// Call only if the folder could be opened.
  [[nodiscard]] std::string_view next(std::error_code& error) noexcept;

 private:
  void* stream_ = nullptr;
};

// What to clean up when a signal ends the process.
/// Makes SIGHUP, SIGINT and SIGTERM remove the temporary files noted from now on before they end
/// the process, and makes exceeding the file size limit (SIGXFSZ) an error. Call once, in a program
/// that owns its signal handlers.
void clean_up_at_signals() noexcept;
struct Temporary;
/// Same as `create_new`, and notes the file until it is forgotten: `noted` is null if
/// `clean_up_at_signals` was not called. No signal comes between the two.
File create_temporary(const std::filesystem::path& path, std::uint32_t permissions,
                      Temporary*& noted, std::error_code& error) noexcept;
void forget_temporary(Temporary* temporary) noexcept;

/// Returns the number of processors in this process's affinity mask, at least 1.
unsigned affine_processors() noexcept;

/// Destroys per-thread objects after all thread_local objects of their threads. Those of the thread
/// in which the program ends are never destroyed, since destructors at the end of the program may
/// use them.
class ThreadEnd {
 public:
  /// \throws std::system_error if this process has too many of them
  explicit ThreadEnd(void (*destroy)(void* object));
  ~ThreadEnd();
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;
  /// Destroys an object at the end of this thread, one per thread; never, if there is no memory for
  /// that.
  void keep(void* object) const noexcept;

 private:
  std::uint64_t key_;
};

/// Returns a number that identifies this process.
std::uint64_t process_id() noexcept;

/// Returns a number that distinguishes a process from those it was forked from, if `fork` was used.
/// For frequent calls: the system took 250 ns to return the process id.
std::uint64_t fork_count() noexcept;

/// The memory that a thread's stack may grow into; all 0 if the system does not tell.
struct Stack {
  std::uintptr_t lowest = 0;
  std::size_t size = 0;
};
Stack stack_of_this_thread() noexcept;

// Hints. The system may ignore them, and this library ignores their failure.
void advise_sequential(const File& file) noexcept;
/// Whether a byte can be read without waiting for the disk; true if unknown.
bool is_cached(const File& file, std::uint64_t offset) noexcept;
/// Reserves disk space after the end of the file without changing its size.
void reserve_behind(const File& file, std::uint64_t offset, std::uint64_t size) noexcept;
/// Starts writing a range back to the disk without waiting.
void start_writeback(const File& file, std::uint64_t offset, std::uint64_t size) noexcept;

// Memory.
/// Maps a private read-only view of a range of the file. `offset` must be a multiple of
/// `page_size()`, and `size` must not be 0.
const std::byte* map(const File& file, std::uint64_t offset, std::size_t size,
                     std::error_code& error) noexcept;
void unmap(const std::byte* address, std::size_t size) noexcept;
std::size_t page_size() noexcept;
/// Maps new memory. `size` must be a positive multiple of `page_size()`, `alignment` a power of
/// two. Returns null if the system has none.
void* map_memory(std::size_t size, std::size_t alignment) noexcept;
/// Gives all of such memory back to the system.
void unmap_memory(void* address, std::size_t size) noexcept;
/// Advises huge pages for the whole huge pages inside the range.
void advise_huge_pages(void* address, std::size_t size) noexcept;
/// Makes the pages of a range present and writable; returns false if the system cannot.
bool populate(void* address, std::size_t size) noexcept;

}  // namespace safestructures::inline v0::platform::os
