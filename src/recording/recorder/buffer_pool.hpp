/// \file
/// Memory for records that wait to be written. It is reused, since touching fresh memory costs more
/// than filling it (platform/memory.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace safestructures::inline v0::recording {

/// Hands out buffers that return when their last owner releases them. Safe to use from several
/// threads; buffers may outlive the pool.
class BufferPool {
 public:
  /// \param most_kept the most bytes of buffers to keep for reuse \param used the bytes of memory
  /// in use, including those of buffers about to be taken; must outlive the pool
  BufferPool(std::uint64_t most_kept, const std::atomic<std::uint64_t>& used);

  /// Returns `size` uninitialised bytes, aligned to 64.
  [[nodiscard]] std::shared_ptr<std::byte> take(std::size_t size);

  /// Returns the bytes of memory that a buffer of that size takes.
  [[nodiscard]] static std::uint64_t memory_of(std::uint64_t size) noexcept;

  /// Frees buffers kept for reuse if they and the bytes in use exceed the limit by more than an
  /// eighth. The margin allows for blocks that are only partly used: the rest of them does not
  /// count as used.
  void leave_room() noexcept;

 private:
  /// Buffers of one capacity.
  struct Same {
    std::vector<std::shared_ptr<std::byte>> buffers;
    std::uint64_t last_use = 0;
  };
  struct Shelf {
    std::mutex mutex;
    std::map<std::size_t, Same> free;  // By capacity.
    std::uint64_t uses = 0;
    std::atomic<std::uint64_t> kept{0};  // Read without the mutex.
    std::uint64_t most_kept = 0;

    /// Frees buffers until at most that many bytes are left, starting with the least recently used
    /// capacity: if larger records follow, its buffers would otherwise stay for good.
    void shrink_to(std::uint64_t most) noexcept;
  };
  /// Puts a buffer back.
  struct Return {
    std::shared_ptr<Shelf> shelf;
    std::shared_ptr<std::byte> buffer;
    std::size_t capacity;
    void operator()(std::byte* unused) noexcept;
  };

  [[nodiscard]] std::shared_ptr<std::byte> take_whole(std::size_t size);

  const std::atomic<std::uint64_t>& used_;
  std::shared_ptr<Shelf> shelf_;
  // Small buffers share blocks. With a single one, records of 512 KiB and 350 KiB in turn left a
  // quarter of each unused.
  struct Block {
    std::shared_ptr<std::byte> bytes;
    std::size_t left = 0;  // At its end.
  };
  std::mutex mutex_;
  std::array<Block, 2> blocks_;
};

}  // namespace safestructures::inline v0::recording
