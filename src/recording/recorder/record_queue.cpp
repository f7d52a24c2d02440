#include "recording/recorder/record_queue.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace safestructures::inline v0::recording {
namespace {

// The records in the first block. With 4,096, moving in records of 64 KiB took 1.3 times as long.
constexpr std::size_t least_records = 512;
// The records that fit into a huge page.
constexpr std::size_t most_records = platform::huge_page / sizeof(QueuedRecord);
// The records whose pages are touched in one call: touching pages one by one took a twelfth of the
// time of recording 1,000 records of 256 B, and all of a large block at once would make someone
// wait.
constexpr std::size_t touched_records = (std::size_t{64} << 10U) / sizeof(QueuedRecord);
// Enough for the records that are written together.
constexpr std::size_t kept_blocks = 4;

}  // namespace

void RecordQueue::push_back(QueuedRecord&& record) {
  if (used_ == 0 || blocks_[used_ - 1].size() == blocks_[used_ - 1].capacity()) {
    if (used_ == blocks_.size()) {
      Block block;
      block.reserve(std::clamp(size_, least_records, most_records));
      blocks_.push_back(std::move(block));
    }
    ++used_;
  }
  Block& block = blocks_[used_ - 1];
  if (block.size() % touched_records == 0) {
    // And one page more, which these records share with the following ones.
    constexpr std::size_t page_records = 4096 / sizeof(QueuedRecord) + 1;
    const std::size_t end =
        std::min(block.size() + touched_records + page_records, block.capacity());
    platform::touch_pages(block.data() + block.size(), (end - block.size()) * sizeof(QueuedRecord));
  }
  is_flat_ &= std::holds_alternative<Tensor>(record.record.value);
  block.push_back(std::move(record));
  ++size_;
}

void RecordQueue::clear() noexcept {
  blocks_.resize(std::min(blocks_.size(), kept_blocks));
  for (Block& block : blocks_) block.clear();
  used_ = size_ = 0;
  is_flat_ = true;
}

}  // namespace safestructures::inline v0::recording
