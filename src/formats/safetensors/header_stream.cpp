#include "formats/safetensors/header_stream.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "data/text/json_text.hpp"
#include "formats/fast_utf8.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::safetensors::detail {
namespace {

// Longer strings are decoded here.
constexpr std::size_t short_string = 4096;
// The length of an escaped surrogate pair.
constexpr std::ptrdiff_t longest_escape = 12;

/// Returns the length of the prefix that has only whole characters, if the text is UTF-8 at all.
std::size_t whole_characters(std::string_view text) noexcept {
  constexpr std::size_t longest = 4;
  const std::size_t size = text.size();
  std::size_t whole = size;
  for (std::size_t back = 1; back <= std::min(size, longest); ++back) {
    const auto byte = static_cast<unsigned char>(text[size - back]);
    if (byte >= 0x80 && byte < 0xC0) continue;
    const std::size_t needed = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (back < needed) whole = size - back;
    break;
  }
  return whole;
}

/// One buffer holds what was decoded, followed by what was read and not decoded yet: touching fresh
/// memory costs more than everything that is done here.
class HeaderStream {
 public:
  HeaderStream(const Source& source, std::size_t length, std::size_t window)
      : source_(source),
        length_(length),
        window_(window),
        buffer_(platform::allocate_buffer(text_slack + length + text_padding)),
        decoded_end_(reinterpret_cast<char*>(buffer_.get())),
        end_(decoded_end_ + text_slack),
        at_(end_),
        undecoded_(end_) {
    fill();
  }

  /// \returns null if a long text is faulty
  std::optional<StreamedHeader> read() {
    // Whatever stops the loop is left to the parser: all that follows is text.
    if (skip("{\"__metadata__\":{")) {
      do {
        if (!skip("\"") || !string() || !skip(":\"") || !string()) break;
      } while (skip(","));
    }
    if (is_faulty_) return std::nullopt;
    header_.text = rest();
    if (!header_.strings.empty()) {
      header_.decoded_size = decoded_size();
      header_.decoded = std::move(buffer_);
    }
    return std::move(header_);
  }

 private:
  [[nodiscard]] std::size_t decoded_size() const noexcept {
    return static_cast<std::size_t>(decoded_end_ - reinterpret_cast<char*>(buffer_.get()));
  }

  void read_behind(std::size_t size) {
    source_.read(length_size + taken_, {reinterpret_cast<std::byte*>(end_), size});
    taken_ += size;
    end_ += size;
  }

  /// \returns false at the end of the header
  bool fill() {
    const std::size_t more = std::min(window_, length_ - taken_);
    if (more != 0) read_behind(more);
    return more != 0;
  }

  bool skip(std::string_view expected) {
    const auto size = static_cast<std::ptrdiff_t>(expected.size());
    if (end_ - at_ < size) fill();
    if (end_ - at_ < size || std::memcmp(at_, expected.data(), expected.size()) != 0) return false;
    at_ += size;
    return true;
  }

  /// Moves from after the opening quote past the closing one.
  bool string() {
    constexpr auto most = static_cast<std::ptrdiff_t>(short_string);
    if (end_ - at_ < most) fill();
    const char* const last = at_ + std::min(end_ - at_, most);
    const char* special = json::find_special(at_, last);
    while (last - special >= 2 && *special == '\\') special = json::find_special(special + 2, last);
    if (special == last || *special != '"') return decode();
    at_ = special + 1;
    return true;
  }

  bool decode() {
    before_.append(undecoded_, at_);
    const std::size_t begin = decoded_size();
    for (;;) {
      // A character may be cut in two.
      const std::size_t whole = whole_characters({at_, static_cast<std::size_t>(end_ - at_)});
      if (!safestructures::detail::is_utf8({at_, whole})) break;
      const json::Unescaped found = json::unescape(at_, at_ + whole, decoded_end_);
      decoded_end_ = found.target_end;
      at_ = undecoded_ = found.stop;
      if (found.has_controls) break;
      if (found.fault == json::StringFault::none) {
        header_.strings.push_back({before_.size(), begin, decoded_size() - begin});
        before_ += '"';
        return true;
      }
      // An escape may be cut in two.
      if (end_ - at_ >= longest_escape || !move_up()) break;
    }
    is_faulty_ = true;
    return false;
  }

  /// Reads on, directly after what was decoded. \returns false at the end of the header
  bool move_up() {
    const auto left = static_cast<std::size_t>(end_ - at_);
    // Decoding may write that far ahead.
    char* const front = decoded_end_ + text_slack;
    std::memmove(front, at_, left);
    at_ = undecoded_ = front;
    end_ = front + left;
    return fill();
  }

  /// Returns the text without what was decoded.
  Text rest() {
    if (header_.strings.empty()) {
      read_behind(length_ - taken_);
      std::memset(end_, 0, text_padding);
      return {std::shared_ptr<const char>(buffer_, end_ - length_), length_};
    }
    const auto left = static_cast<std::size_t>(end_ - undecoded_);
    const std::size_t known = before_.size() + left;
    const std::size_t size = known + (length_ - taken_);
    const std::shared_ptr<std::byte> text = platform::allocate_buffer(size + text_padding);
    std::memcpy(text.get(), before_.data(), before_.size());
    std::memcpy(text.get() + before_.size(), undecoded_, left);
    source_.read(length_size + taken_, {text.get() + known, size - known});
    std::memset(text.get() + size, 0, text_padding);
    return {std::shared_ptr<const char>(text, reinterpret_cast<const char*>(text.get())), size};
  }

  const Source& source_;
  std::size_t length_;
  std::size_t window_;
  std::size_t taken_ = 0;  // The bytes of the header read so far.
  std::shared_ptr<std::byte> buffer_;
  char* decoded_end_;
  char* end_;              // The end of what was read.
  const char* at_;         // The current position in it.
  const char* undecoded_;  // From here on, text is neither decoded nor in `before_`.
  std::string before_;     // The text up to there.
  StreamedHeader header_;
  bool is_faulty_ = false;
};

Text read_text(const Source& source, std::size_t length) {
  const std::shared_ptr<std::byte> buffer = platform::allocate_buffer(length + text_padding);
  source.read(length_size, {buffer.get(), length});
  std::memset(buffer.get() + length, 0, text_padding);
  return {std::shared_ptr<const char>(buffer, reinterpret_cast<const char*>(buffer.get())), length};
}

}  // namespace

Table read_table(const Source& source, std::size_t length, std::uint64_t data_size,
                 const Limits& limits, std::size_t window) {
  if (length / 2 >= window) {
    if (auto header = HeaderStream(source, length, window).read()) {
      if (header->strings.empty()) return {std::move(header->text), data_size, limits};
      if (auto table = Table::of(*std::move(header), data_size, limits)) return *std::move(table);
    }
    // The general parser needs the whole text, and reports what is wrong.
  }
  return {read_text(source, length), data_size, limits};
}

}  // namespace safestructures::inline v0::safetensors::detail
