/// \file
/// Records between the threads that record and the one that writes.
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
  Names::Entry* name = nullptr;  ///< Null once it was written, or counted as lost.
  std::uint64_t bytes = 0;       ///< That it takes in memory.
  std::uint64_t content = 0;     ///< Those of its tensors and texts.
  bool is_summarised = false;    ///< Its tensors are statistics already.
};

/// Records in the order of their calls, which stay where they are. They lie in blocks, each as
/// large as all before it: in a vector, which moves what it has when it grows, 3,000 records
/// touched twice the memory.
class RecordQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Whether all are lone tensors, which any stack is large enough to write.
  [[nodiscard]] bool is_flat() const noexcept { return is_flat_; }

  void push_back(QueuedRecord&& record);
  /// Keeps some memory, to be filled again.
  void clear() noexcept;

  template <class Each>
  void each(const Each& each) {
    for (std::size_t i = 0; i < used_; ++i)
      for (QueuedRecord& record : blocks_[i]) each(record);
  }

 private:
  // 100,000 small records in pages of 4 KiB touch 3,000 of them.
  using Block = std::vector<QueuedRecord, platform::BlockAllocator<QueuedRecord>>;

  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // Blocks that have records.
  std::size_t size_ = 0;  // Of all.
  bool is_flat_ = true;
};

}  // namespace safestructures::inline v0::recording
