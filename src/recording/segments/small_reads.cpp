#include "recording/segments/small_reads.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::recording {
namespace {

constexpr std::uint64_t window_size = std::uint64_t{256} << 10U;
// As many places as comparing threads read from.
constexpr std::size_t windows = 16;
// A window holds too few larger pieces to be worth reading for one of them.
constexpr std::size_t small = std::size_t{4} << 10U;
// Looking up a few pieces must not read more than them: a window costs as much as 100.
constexpr unsigned most_alone = 3;

class SmallReads final : public Source {
 public:
  explicit SmallReads(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  [[nodiscard]] const std::string& name() const noexcept override { return source_->name(); }
  [[nodiscard]] std::uint64_t size() const noexcept override { return source_->size(); }
  [[nodiscard]] SharedBytes view(std::uint64_t offset, std::size_t size) const override {
    return source_->view(offset, size);
  }

  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    const std::uint64_t number = offset / window_size;
    const std::uint64_t begin = number * window_size;
    const std::uint64_t end = std::min(begin + window_size, size());
    // Reads that cross windows or the end of the file would not be repeated.
    if (into.size() > small || offset >= end || into.size() > end - offset)
      return source_->read(offset, into);
    Window& window = windows_[static_cast<std::size_t>(number % windows)];
    const std::lock_guard lock(window.mutex);
    if (window.begin != begin) {
      window.begin = begin;
      window.alone = 0;
      window.bytes.clear();
    }
    if (window.bytes.empty()) {
      if (window.alone < most_alone) {
        ++window.alone;
        return source_->read(offset, into);
      }
      window.bytes.resize(static_cast<std::size_t>(end - begin));
      try {
        source_->read(begin, window.bytes);
      } catch (const Error&) {
        window.bytes.clear();
        return source_->read(offset, into);  // The piece alone may be readable; else this throws.
      }
    }
    const auto from = window.bytes.begin() + static_cast<std::ptrdiff_t>(offset - begin);
    std::copy_n(from, into.size(), into.begin());
  }

 private:
  struct Window {
    std::mutex mutex;
    std::uint64_t begin =
        std::numeric_limits<std::uint64_t>::max();  // The window of the last piece.
    unsigned alone = 0;                             // Pieces that were read alone.
    std::vector<std::byte> bytes;
  };

  std::shared_ptr<const Source> source_;
  mutable std::array<Window, windows> windows_;
};

}  // namespace

std::shared_ptr<const Source> for_small_reads(std::shared_ptr<const Source> source) {
  return std::make_shared<SmallReads>(std::move(source));
}

}  // namespace safestructures::inline v0::recording
