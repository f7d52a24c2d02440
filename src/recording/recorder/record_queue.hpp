/// \file
/// Records on their way from the recording threads to the writing one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/memory.hpp"
#include "recording/recorder/names.hpp"
#include "recording/recorder/prepare.hpp"

namespace safestructures::inline v0::recording {

/// A record that waits to be written.
struct QueuedRecord {
  CapturedRecord record;
  Names::Entry* name = nullptr;  ///< Null once it is written or counted as lost.
  std::uint64_t bytes = 0;       ///< The memory that it takes.
  std::uint64_t content = 0;     ///< The bytes of its tensors and texts.
  bool is_summarised = false;    ///< Whether its tensors were already replaced with statistics.
};

/// Records in the order of their calls, with stable addresses. They are stored in blocks, each as
/// large as all before it: in a vector, which moves its elements when it grows, 3,000 records
/// touched twice the memory.
class RecordQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Whether all are lone tensors, which can be written on a stack of any size.
  [[nodiscard]] bool is_flat() const noexcept { return is_flat_; }

  void push_back(QueuedRecord&& record);
  /// Removes all records, but keeps some memory for reuse.
  void clear() noexcept;

  template <class Each>
  void each(const Each& each) {
    for (std::size_t i = 0; i < used_; ++i)
      for (QueuedRecord& record : blocks_[i]) each(record);
  }

 private:
  // In pages of 4 KiB, 100,000 small records touch 3,000 of them. From the heap, the blocks of
  // small records stayed in memory, in addition to buffers of large records that followed.
  using Block = std::vector<QueuedRecord, platform::MappedAllocator<QueuedRecord>>;

  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // Blocks that hold records.
  std::size_t size_ = 0;  // Records in all blocks.
  bool is_flat_ = true;
};

}  // namespace safestructures::inline v0::recording
