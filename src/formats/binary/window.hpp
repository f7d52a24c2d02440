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
    hold(0, all_.bytes);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() = default;

  [[nodiscard]] std::uint64_t position() const noexcept {
    return begin_ + static_cast<std::uint64_t>(next_ - first_);
  }
  [[nodiscard]] std::uint64_t left() const noexcept { return size_ - position(); }

  /// Returns the next bytes, which stay valid until more are taken. \throws Error `truncated`
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > held()) refill(size);
    const std::byte* const taken = next_;
    next_ += size;
    return {taken, static_cast<std::size_t>(size)};
  }
  /// Passes over that many bytes. \throws Error `truncated`
  void pass(std::uint64_t size) {
    if (size <= held()) {
      next_ += size;
      return;
    }
    need(size);
    hold(position() + size, {});
  }
  /// Goes back to a position that was passed.
  void rewind(std::uint64_t position) noexcept {
    if (position >= begin_) next_ = first_ + (position - begin_);
    else hold(position, {});
  }

 private:
  static constexpr std::size_t block = std::size_t{64} << 10U;

  /// The number of bytes that are there.
  [[nodiscard]] std::uint64_t held() const noexcept {
    return static_cast<std::uint64_t>(end_ - next_);
  }
  void hold(std::uint64_t begin, std::span<const std::byte> bytes) noexcept {
    begin_ = begin;
    first_ = next_ = bytes.data();
    end_ = first_ + bytes.size();
  }
  void need(std::uint64_t size) const {
    if (size > left())
      throw Error(ErrorCode::truncated, "the file ends before the bytes that it announces",
                  {.expected = std::to_string(size) + (size == 1 ? " byte" : " bytes"),
                   .found = std::to_string(left()),
                   .advice = "Copy the file again, or save it again",
                   .offset = position()});
  }
  /// Gets at least that many bytes.
  void refill(std::uint64_t size) {
    need(size);
    const std::uint64_t from = position();
    buffer_.resize(
        static_cast<std::size_t>(std::min(std::max<std::uint64_t>(size, block), size_ - from)));
    source_->read(from, buffer_);
    hold(from, buffer_);
  }

  std::shared_ptr<const Source> source_;
  std::uint64_t size_;
  SharedBytes all_;
  std::vector<std::byte> buffer_;
  std::uint64_t begin_ = 0;  // Where the bytes that are there begin in the source.
  const std::byte* first_ = nullptr;
  const std::byte* next_ = nullptr;
  const std::byte* end_ = nullptr;
};

}  // namespace safestructures::inline v0::binary
