#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <libdeflate.h>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/gzip.hpp>
#include "data/limit.hpp"
#include "data/text/ending.hpp"
#include "formats/gzip/member.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::gzip {
namespace {

constexpr std::string_view ending = ".gz";
// The most bytes that deflate can make of one: 258 for each two bits.
constexpr std::uint64_t largest_ratio = 1032;
constexpr std::size_t least_room = std::size_t{64} << 10U;

constexpr unsigned flag_checksum = 2;  // Of the header.
constexpr unsigned flag_extra = 4;
constexpr unsigned flag_name = 8;
constexpr unsigned flag_comment = 16;
constexpr unsigned flags_unknown = 0xE0;

/// \param head the first bytes, or all there are
bool is_packed(std::span<const std::byte> head) {
  if (head.size() < 3 ||
      !std::equal(head.begin(), head.begin() + 3, std::as_bytes(std::span(plain_header)).begin()))
    return false;
  // A safetensors header of 559,903 bytes begins in the same way. gzip has its level hint where
  // that has its brace, and no program writes such a hint.
  constexpr std::size_t hint = 8;
  return head.size() <= hint || head[hint] != std::byte{'{'};
}

bool is_packed(const Source& source) {
  std::array<std::byte, header_size> room;
  const std::span head = std::span(room).first(
      static_cast<std::size_t>(std::min<std::uint64_t>(source.size(), room.size())));
  source.read(0, head);
  return is_packed(head);
}

/// Returns the packed bytes.
SharedBytes all_of(const Source& source, Access access) {
  const auto size = static_cast<std::size_t>(source.size());
  if (access == Access::map || source.is_in_memory()) return source.view(0, size);
  const std::shared_ptr<std::byte> memory = platform::allocate_buffer(size);
  source.read(0, {memory.get(), size});
  return {{memory.get(), size}, memory};
}

/// Unpacked data, under the name of the packed source.
class UnpackedSource final : public Source {
 public:
  UnpackedSource(std::shared_ptr<const Source> packed, SharedBytes bytes)
      : packed_(std::move(packed)), memory_(Source::of(bytes.bytes, std::move(bytes.owner))) {}

  const std::string& name() const noexcept override { return packed_->name(); }
  std::uint64_t size() const noexcept override { return memory_->size(); }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    memory_->read(offset, into);
  }
  SharedBytes view(std::uint64_t offset, std::size_t size) const override {
    return memory_->view(offset, size);
  }
  bool is_in_memory() const noexcept override { return true; }
  std::shared_ptr<const Source> sibling(std::string_view file_name) const override {
    return packed_->sibling(file_name);
  }

 private:
  std::shared_ptr<const Source> packed_;
  std::shared_ptr<const Source> memory_;
};

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const noexcept {
    libdeflate_free_decompressor(decompressor);
  }
};

class Unpacker {
 public:
  Unpacker(std::span<const std::byte> packed, const Limits& limits)
      : packed_(packed),
        most_(detail::most_unpacked(packed.size(), limits)),
        decompressor_(libdeflate_alloc_decompressor()) {
    if (!decompressor_) throw std::bad_alloc();
  }

  SharedBytes unpack() {
    // The length that the file gives is good only for a first guess.
    const std::uint64_t said = packed_.size() < 4 ? 0 : little_endian_32(packed_.last(4));
    reserve(std::min(said, packed_.size() * largest_ratio));
    while (position_ < packed_.size()) member();
    return {{memory_.get(), size_}, memory_};
  }

 private:
  [[noreturn]] void fail(ErrorCode code, std::string problem, ErrorDetails details = {}) const {
    if (!details.offset) details.offset = position_;
    throw Error(code, std::move(problem), std::move(details));
  }

  void reserve(std::uint64_t size) {
    const auto capacity = static_cast<std::size_t>(std::min(size, most_));
    std::shared_ptr<std::byte> larger = platform::allocate_buffer(capacity);
    if (size_ > 0) std::memcpy(larger.get(), memory_.get(), size_);
    memory_ = std::move(larger);
    capacity_ = capacity;
  }

  /// Returns the next bytes and passes over them.
  std::span<const std::byte> take(std::size_t count, std::string_view part) {
    if (packed_.size() - position_ < count)
      fail(ErrorCode::truncated,
           fmt::format("the packed file ends inside the {} of a gzip member", part),
           {.expected = fmt::format("{} bytes", count),
            .found = std::to_string(packed_.size() - position_),
            .advice = "The file is not complete: copy or download it again"});
    const std::span<const std::byte> bytes = packed_.subspan(position_, count);
    position_ += count;
    return bytes;
  }

  void skip_text() {
    while (take(1, "header")[0] != std::byte{0}) {
    }
  }

  void header() {
    const std::size_t begin = position_;
    // For the first member these were already checked.
    if (packed_.size() - position_ < 2 || packed_[position_] != std::byte{plain_header[0]} ||
        packed_[position_ + 1] != std::byte{plain_header[1]})
      fail(ErrorCode::invalid_header, "there are bytes after the packed data",
           {.expected = "the end of the file, or another gzip member",
            .found = fmt::format("{} bytes", packed_.size() - position_),
            .advice = "Remove them, or copy or download the file again"});
    const std::span<const std::byte> fixed = take(header_size, "header");
    const auto method = std::to_integer<unsigned>(fixed[2]);
    if (method != method_deflate)
      fail(ErrorCode::invalid_header, "a gzip member has an unknown compression method",
           {.expected = "8, deflate", .found = std::to_string(method), .offset = begin + 2});
    const auto flags = std::to_integer<unsigned>(fixed[3]);
    if ((flags & flags_unknown) != 0)
      fail(ErrorCode::invalid_header, "a gzip member has unknown flags",
           {.expected = "bits 0 to 4",
            .found = fmt::format("0x{:02X}", flags),
            .offset = begin + 3});
    if ((flags & flag_extra) != 0) {
      const std::span<const std::byte> size = take(2, "header");
      static_cast<void>(
          take(std::to_integer<std::size_t>(size[0]) | std::to_integer<std::size_t>(size[1]) << 8U,
               "header"));
    }
    if ((flags & flag_name) != 0) skip_text();
    if ((flags & flag_comment) != 0) skip_text();
    if ((flags & flag_checksum) == 0) return;
    const std::uint32_t computed =
        libdeflate_crc32(0, packed_.data() + begin, position_ - begin) & 0xFFFFU;
    const std::span<const std::byte> stored = take(2, "header");
    const std::uint32_t expected =
        std::to_integer<std::uint32_t>(stored[0]) | std::to_integer<std::uint32_t>(stored[1]) << 8U;
    if (computed != expected)
      fail(ErrorCode::checksum_mismatch, "the header of a gzip member is damaged",
           {.expected = fmt::format("CRC {:04X}", expected),
            .found = fmt::format("{:04X}", computed),
            .offset = position_ - 2});
  }

  /// \returns how many bytes were added
  std::size_t inflate() {
    for (;;) {
      std::size_t used = 0;
      std::size_t made = 0;
      const libdeflate_result result = libdeflate_deflate_decompress_ex(
          decompressor_.get(), packed_.data() + position_, packed_.size() - position_,
          memory_.get() + size_, capacity_ - size_, &used, &made);
      if (result == LIBDEFLATE_SUCCESS) {
        position_ += used;
        return made;
      }
      if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
        fail(ErrorCode::damaged, "the packed data is damaged or ends too early",
             {.advice = "Copy or download the file again"});
      if (capacity_ == most_)
        throw detail::past(detail::Limit::expansion, most_,
                           {.found = "more in " + std::to_string(packed_.size()),
                            .advice = "Raise the limit if you trust the file"});
      // Doubled, so that all attempts together take at most twice the time of the last.
      reserve(std::max<std::uint64_t>(std::uint64_t{2} * capacity_, least_room));
    }
  }

  void member() {
    header();
    const std::size_t made = inflate();
    const std::size_t begin = position_;
    const std::span<const std::byte> trailer = take(trailer_size, "trailer");
    const std::uint32_t expected = little_endian_32(trailer);
    const std::uint32_t computed = libdeflate_crc32(0, memory_.get() + size_, made);
    if (computed != expected)
      fail(ErrorCode::checksum_mismatch, "the packed data is damaged",
           {.expected = fmt::format("CRC {:08X}", expected),
            .found = fmt::format("{:08X}", computed),
            .advice = "Copy or download the file again",
            .offset = begin});
    const std::uint32_t length = little_endian_32(trailer.subspan(4));
    if (length != static_cast<std::uint32_t>(made))
      fail(ErrorCode::damaged, "a gzip member does not have the length that it states",
           {.expected = fmt::format("{} bytes", length),
            .found = std::to_string(static_cast<std::uint32_t>(made)),
            .offset = begin + 4});
    size_ += made;
  }

  std::span<const std::byte> packed_;
  std::uint64_t most_;
  std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor_;
  std::size_t position_ = 0;
  std::shared_ptr<std::byte> memory_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace

std::string_view inner_name(std::string_view file_name) noexcept {
  return detail::has_ending(file_name, ending)
             ? file_name.substr(0, file_name.size() - ending.size())
             : file_name;
}

std::shared_ptr<const Source> unpacked(const std::shared_ptr<const Source>& source,
                                       const LoadOptions& options) {
  try {
    if (!is_packed(*source)) return source;
    const SharedBytes packed = all_of(*source, options.access);
    SharedBytes bytes = Unpacker(packed.bytes, options.limits).unpack();
    if (is_packed(bytes.bytes))
      throw Error(ErrorCode::invalid_header, "the file is packed twice",
                  {.expected = "a file of one of the formats",
                   .found = "gzip in gzip",
                   .advice = "Unpack it once with gunzip"});
    return std::make_shared<const UnpackedSource>(source, std::move(bytes));
  } catch (const Error& error) {
    throw error.with_file(source->name());
  }
}

}  // namespace safestructures::inline v0::gzip
