/// \file
/// The only calls into the operating system. A port is what stands in place of posix.cpp and
/// posix_process.cpp, which define these functions; the rest of src/platform is portable code on
/// top of them.
///
/// None of them throws: a failure comes back in the `std::error_code`, which is cleared first. A
/// path with a 0 in it, which the system would cut there, fails with `invalid_argument`.
/// Interrupted calls (EINTR) are repeated inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace safestructures::inline v0::platform::os {

/// An open file. Closes itself; moving leaves a closed one behind.
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
  /// Closes and reports what the system says: a network file system may report here that earlier
  /// writes failed.
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

// Opening. Neither waits for a pipe's other end, nor lets child processes inherit the file.
File open_for_reading(const std::filesystem::path& path, std::error_code& error) noexcept;
/// Fails with `file_exists` where there is something of that name, a dangling link included.
File create_new(const std::filesystem::path& path, std::uint32_t permissions,
                std::error_code& error) noexcept;
/// Opens a file that exists for reading and writing.
File open_for_writing(const std::filesystem::path& path, std::error_code& error) noexcept;
/// Opens a file, made where there is none, that nobody else may open so until it is closed or the
/// last process that inherited it has ended. Fails with `resource_unavailable_try_again` at once
/// where somebody has it.
File open_locked(const std::filesystem::path& path, std::error_code& error) noexcept;

// What is there. The second looks at a link itself.
Status status(const File& file, std::error_code& error) noexcept;
Status status(const std::filesystem::path& path, std::error_code& error) noexcept;
/// Clears `error` when the user running this process may write the file.
void check_writable(const std::filesystem::path& path, std::error_code& error) noexcept;

/// Above what `AtomicFile` queues, and no more than the system's own bound, 1024 on Linux.
inline constexpr std::size_t most_blocks = 1024;

// Bytes. Both may transfer fewer than asked; 0 bytes read without an error is the end of the file.
std::size_t read_some(const File& file, std::uint64_t offset, std::span<std::byte> into,
                      std::error_code& error) noexcept;
/// Writes the blocks one after the other in one system call, which takes `most_blocks` at most.
std::size_t write_some(const File& file, std::uint64_t offset, std::span<const Bytes> blocks,
                       std::error_code& error) noexcept;

// The file as a whole.
/// Reserves disk space from the start of the file. A file system that cannot is no error; one that
/// is full is.
void reserve(const File& file, std::uint64_t size, std::error_code& error) noexcept;
void resize(const File& file, std::uint64_t size, std::error_code& error) noexcept;
/// Gives the file the permissions of `existing` and, where this user may, its owner and group.
/// Where the group cannot be kept, the group gets no more than everybody has.
void keep_access(const File& file, const Status& existing, std::error_code& error) noexcept;
void synchronise(const File& file, std::error_code& error) noexcept;
/// Makes a rename in this folder durable. A file system that cannot is no error.
void synchronise_folder(const std::filesystem::path& folder, std::error_code& error) noexcept;
/// Replaces `to` atomically.
void rename(const std::filesystem::path& from, const std::filesystem::path& to,
            std::error_code& error) noexcept;
void remove(const std::filesystem::path& path) noexcept;

/// The names in a folder, in no order. std::filesystem::directory_iterator of GCC 12 takes memory
/// where it may not throw: where there is none the program ends.
class Listing {
 public:
  Listing(const std::filesystem::path& folder, std::error_code& error) noexcept;
  ~Listing();
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;
  /// The next name, good until the next call; empty behind the last one, and with an error. Only
  /// where the folder could be opened.
  [[nodiscard]] std::string_view next(std::error_code& error) noexcept;

 private:
  void* stream_ = nullptr;
};

// What a process leaves that is ended by a signal.
/// Lets SIGHUP, SIGINT and SIGTERM remove the temporary files that are noted from now on before
/// they end the process, and makes a file that may grow no further (SIGXFSZ) an error. For a
/// program whose signals are its own, once.
void clean_up_at_signals() noexcept;
struct Temporary;
/// Notes a file that was created until it is forgotten; null where nobody asked for it.
Temporary* note_temporary(const std::filesystem::path& path) noexcept;
void forget_temporary(Temporary* temporary) noexcept;

/// The processors that the system may run this process on, at least 1.
unsigned affine_processors() noexcept;

/// Destroys objects of threads after all their thread_local objects, and those of the thread in
/// which the program ends never: what the end of the program destroys may use them.
class ThreadEnd {
 public:
  /// \throws std::system_error where there are too many in this process
  explicit ThreadEnd(void (*destroy)(void* object));
  ~ThreadEnd();
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;
  /// Has an object destroyed with this thread, one of each thread; without memory for that, never.
  void keep(void* object) const noexcept;

 private:
  std::uint64_t key_;
};

/// Tells a process from all others.
std::uint64_t process_id() noexcept;

/// Tells a process from those that it was forked from, as long as `fork` is what forked it. For
/// what is called often: the system took 250 ns to tell the id.
std::uint64_t fork_count() noexcept;

/// The memory that a thread's stack may grow into; all 0 where the system does not tell.
struct Stack {
  std::uintptr_t lowest = 0;
  std::size_t size = 0;
};
Stack stack_of_this_thread() noexcept;

// Hints. The system may ignore them; so does this library when they fail.
void advise_sequential(const File& file) noexcept;
/// Whether a byte can be read without waiting for the disk; true where nobody knows.
bool is_cached(const File& file, std::uint64_t offset) noexcept;
/// Reserves disk space behind the end of the file, whose size stays as it is.
void reserve_behind(const File& file, std::uint64_t offset, std::uint64_t size) noexcept;
/// Begins to write a range back to the disk and does not wait.
void start_writeback(const File& file, std::uint64_t offset, std::uint64_t size) noexcept;

// Memory.
/// A private read-only view of a range of the file. `offset` must be a multiple of `page_size()`
/// and `size` not 0.
const std::byte* map(const File& file, std::uint64_t offset, std::size_t size,
                     std::error_code& error) noexcept;
void unmap(const std::byte* address, std::size_t size) noexcept;
std::size_t page_size() noexcept;
/// Asks for huge pages for the whole huge pages inside the range.
void advise_huge_pages(void* address, std::size_t size) noexcept;
/// Makes the pages of a range present and writable; false where the system cannot.
bool populate(void* address, std::size_t size) noexcept;

}  // namespace safestructures::inline v0::platform::os
