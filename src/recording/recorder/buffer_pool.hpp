/// \file
/// Memory for records that wait to be written. It is reused, since touching fresh memory costs more
/// than filling it (platform/memory.hpp).
#pragma once

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

 private:
  struct Shelf {
    std::mutex mutex;
    std::map<std::size_t, std::vector<std::shared_ptr<std::byte>>> free;  // By capacity.
    std::uint64_t kept = 0;
    std::uint64_t most_kept = 0;
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
