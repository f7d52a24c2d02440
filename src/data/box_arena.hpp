/// \file
/// Memory for the payloads of many values.
///
/// When saving 100,000 vectors (W3 in benchmarks/RESULTS.md), a quarter of the time went to one
/// allocation per value and the first touch of its pages, 1.5 us for each 4 KiB.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace safestructures::inline v0::detail {

/// While it lives, the payloads of values of this thread, after the first few, come from its
/// blocks. A block lives as long as anything in it, so a part of a large structure may keep up to 2
/// MiB in addition to itself; memory freed inside a block is not reused.
class BoxArena {
 public:
  BoxArena() noexcept;
  BoxArena(const BoxArena&) = delete;
  BoxArena& operator=(const BoxArena&) = delete;
  ~BoxArena();

  /// Memory aligned to 8 bytes, and its offset in its block.
  struct Place {
    void* memory;
    std::uint32_t offset;  ///< 0 if it is not in a block.
  };
  /// Allocates from the innermost arena of this thread, if there is one. \throws std::bad_alloc
  [[nodiscard]] static Place allocate(std::size_t size);
  /// Frees such memory, on any thread.
  static void free(Place place) noexcept;

 private:
  struct Block {
    // Includes the allocations that the arena can still hand out, until it is done with the block.
    std::atomic<std::uint64_t> owners;
    std::size_t size;
  };

  [[nodiscard]] bool begin_block(std::size_t size);
  void end_block() noexcept;
  static void release(Block* block, std::uint64_t owners) noexcept;

  BoxArena* outer_;
  Block* block_ = nullptr;
  std::size_t used_ = 0;     // Bytes of the block.
  std::uint64_t count_ = 0;  // Allocations in the block.
  std::size_t total_ = 0;    // Bytes in total, wherever they came from.
};

}  // namespace safestructures::inline v0::detail
