/// \file
/// Reads a source front to back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>

namespace safestructures::inline v0::binary {

/// The bytes of a source, either all of them as a view or in pieces. When reading in pieces, bytes
/// that are passed over are not read.
class Window {
 public:
  Window(std::shared_ptr<const Source> source, bool is_mapped)
      : source_(std::move(source)), size_(source_->size()) {
    if (!is_mapped && !source_->is_in_memory()) return;
    all_ = source_->view(0, static_cast<std::size_t>(size_));
    room_ = all_.bytes;
  }

  [[nodiscard]] std::uint64_t position() const noexcept { return at_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return size_ - at_; }

  /// Returns the next bytes, which stay valid until more are taken. \throws Error `truncated`
  std::span<const std::byte> take(std::uint64_t size) {
    need(size);
    if (at_ < begin_ || at_ + size > begin_ + room_.size()) refill(static_cast<std::size_t>(size));
    const auto first = static_cast<std::size_t>(at_ - begin_);
    at_ += size;
    return room_.subspan(first, static_cast<std::size_t>(size));
  }
  /// Passes over that many bytes. \throws Error `truncated`
  void pass(std::uint64_t size) {
    need(size);
    at_ += size;
  }
  /// Goes back to a position that was passed.
  void rewind(std::uint64_t position) noexcept { at_ = position; }

 private:
  static constexpr std::size_t block = std::size_t{64} << 10U;

  void need(std::uint64_t size) const {
    if (size > left())
      throw Error(ErrorCode::truncated, "the file ends before the bytes that it announces",
                  {.expected = std::to_string(size) + (size == 1 ? " byte" : " bytes"),
                   .found = std::to_string(left()),
                   .advice = "Copy the file again, or save it again",
                   .offset = at_});
  }
  void refill(std::size_t size) {
    buffer_.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(std::max(size, block), left())));
    source_->read(at_, buffer_);
    begin_ = at_;
    room_ = buffer_;
  }

  std::shared_ptr<const Source> source_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
  SharedBytes all_;
  std::vector<std::byte> buffer_;
  std::uint64_t begin_ = 0;  // Where `room_` begins in the source.
  std::span<const std::byte> room_;
};

}  // namespace safestructures::inline v0::binary
