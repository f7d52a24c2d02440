/// \file
/// Memory for records that wait to be written. It is reused, since touching fresh memory costs more
/// than filling it (platform/memory.hpp).
#pragma once

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
  /// \param most_kept the most bytes of buffers to keep for reuse
  explicit BufferPool(std::uint64_t most_kept);

  /// Returns `size` uninitialised bytes, aligned to 64.
  [[nodiscard]] std::shared_ptr<std::byte> take(std::size_t size);

  /// What a buffer of so many bytes takes in memory.
  [[nodiscard]] static std::uint64_t memory_of(std::uint64_t size) noexcept;

  /// Frees buffers that are kept for use again, where they and `used` bytes that are in use are
  /// more than may be kept, and an eighth: what is used of a block is counted, and not all of it.
  void leave_room(std::uint64_t used) noexcept;

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

    /// Frees buffers until no more than that many bytes are left, first those of the capacity whose
    /// last use is longest ago: where larger records follow, they would stay for good.
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

  std::shared_ptr<Shelf> shelf_;
  // Small buffers share a block.
  std::mutex mutex_;
  std::shared_ptr<std::byte> block_;
  std::size_t used_ = 0;
};

}  // namespace safestructures::inline v0::recording
