#include "recording/segments/unsealed.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include <safestructures/data/error.hpp>
#include "recording/segments/segment_header.hpp"

namespace safestructures::inline v0::recording {
namespace {

/// A header in memory followed by a range of a file.
class HeaderAndData final : public Source {
 public:
  HeaderAndData(std::string header, std::shared_ptr<const Source> file, std::uint64_t offset,
                std::uint64_t size)
      : header_(std::move(header)), file_(std::move(file)), offset_(offset), size_(size) {}

  [[nodiscard]] const std::string& name() const noexcept override { return file_->name(); }
  [[nodiscard]] std::uint64_t size() const noexcept override { return header_.size() + size_; }

  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset < header_.size()) {
      const auto text = std::as_bytes(std::span(header_)).subspan(static_cast<std::size_t>(offset));
      const std::size_t count = std::min(text.size(), into.size());
      std::ranges::copy(text.first(count), into.begin());
      into = into.subspan(count);
      offset += count;
    }
    if (!into.empty()) file_->read(in_file(offset, into.size()), into);
  }

  [[nodiscard]] SharedBytes view(std::uint64_t offset, std::size_t size) const override {
    if (offset < header_.size()) return Source::view(offset, size);
    return file_->view(in_file(offset, size), size);
  }

 private:
  [[nodiscard]] std::uint64_t in_file(std::uint64_t offset, std::size_t size) const {
    const std::uint64_t place = offset - header_.size();
    if (place <= size_ && size <= size_ - place) return offset_ + place;
    throw Error(ErrorCode::truncated, "the file ends too early",
                {.file = name(), .offset = offset_ + place});
  }

  std::string header_;
  std::shared_ptr<const Source> file_;
  std::uint64_t offset_;
  std::uint64_t size_;
};

}  // namespace

std::shared_ptr<const Source> as_file(std::shared_ptr<const Source> part, std::uint64_t room,
                                      std::vector<Frame>& frames) {
  // Rounded down, so that tensors stay aligned when everything is read into memory.
  const std::uint64_t begin = std::ranges::min_element(frames, {}, &Frame::begin)->begin / 8 * 8;
  std::vector<Frame*> moved;
  moved.reserve(frames.size());
  for (Frame& frame : frames) {
    frame.begin -= begin;
    frame.end -= begin;
    for (StoredTensor& tensor : frame.tensors) {
      tensor.begin -= begin;
      tensor.end -= begin;
    }
    moved.push_back(&frame);
  }
  SegmentHeader header;
  header.add(moved, [](std::uint64_t, std::uint64_t) { return 0; });
  return behind_header(header.front({}, 0, false).text(), std::move(part), room + begin,
                       header.end());
}

std::shared_ptr<const Source> behind_header(std::string header, std::shared_ptr<const Source> part,
                                            std::uint64_t offset, std::uint64_t size) {
  return std::make_shared<HeaderAndData>(std::move(header), std::move(part), offset, size);
}

std::size_t drop_overlaps(std::vector<Frame>& frames) {
  std::vector<const Frame*> by_place;
  by_place.reserve(frames.size());
  for (const Frame& frame : frames) by_place.push_back(&frame);
  std::ranges::stable_sort(by_place, {},
                           [](const Frame* frame) { return std::pair(frame->begin, frame->end); });
  std::set<const Frame*> dropped;
  std::uint64_t end = 0;
  for (const Frame* const frame : by_place) {
    if (frame->begin < end) dropped.insert(frame);
    else end = frame->end;
  }
  if (dropped.empty()) return 0;
  std::vector<Frame> kept;
  for (Frame& frame : frames)
    if (!dropped.contains(&frame)) kept.push_back(std::move(frame));
  frames = std::move(kept);
  return dropped.size();
}

}  // namespace safestructures::inline v0::recording
