/// \file
/// Memory for what many values hold.
///
/// Of saving 100,000 vectors (W3 in benchmarks/RESULTS.md) a quarter was an allocation for each
/// value and the pages that these touched first, four kilobytes at 1.5 us.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace safestructures::inline v0::detail {

/// For as long as it lives, what values of this thread hold comes from blocks of it, after the
/// first few. A block lives as long as anything in it, so that a part of a large structure keeps up
/// to 2 MiB besides itself; and what is freed in it is not used again.
class BoxArena {
 public:
  BoxArena() noexcept;
  BoxArena(const BoxArena&) = delete;
  BoxArena& operator=(const BoxArena&) = delete;
  ~BoxArena();

  /// Memory, aligned to 8 bytes, and where it is in its block.
  struct Place {
    void* memory;
    std::uint32_t offset;  ///< 0: it is in none.
  };
  /// Of the innermost arena of this thread, if there is one. \throws std::bad_alloc
  [[nodiscard]] static Place allocate(std::size_t size);
  /// Gives such memory back, on any thread.
  static void free(Place place) noexcept;

 private:
  struct Block {
    // Those that the arena may still give out are counted until it is done with the block.
    std::atomic<std::uint64_t> owners;
    std::size_t size;
  };

  [[nodiscard]] bool begin_block(std::size_t size);
  void end_block() noexcept;
  static void release(Block* block, std::uint64_t owners) noexcept;

  BoxArena* outer_;
  Block* block_ = nullptr;
  std::size_t used_ = 0;     // Of the block.
  std::uint64_t count_ = 0;  // What was given out in it.
  std::size_t total_ = 0;    // Bytes, wherever they came from.
};

}  // namespace safestructures::inline v0::detail
