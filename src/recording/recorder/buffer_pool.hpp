/// \file
/// Memory for what waits to be written. Fresh memory costs more to touch than to fill
/// (platform/memory.hpp), so that it is used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace safestructures::inline v0::recording {

/// Gives buffers that come back when the last who shares them lets go. May be used by several
/// threads, and may be gone before its buffers.
class BufferPool {
 public:
  /// \param most_kept bytes of buffers that are kept for use again
  explicit BufferPool(std::uint64_t most_kept);

  /// `size` uninitialised bytes, aligned to 64.
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
  // Small ones share a block.
  std::mutex mutex_;
  std::shared_ptr<std::byte> block_;
  std::size_t used_ = 0;
};

}  // namespace safestructures::inline v0::recording
