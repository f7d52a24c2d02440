/// \file
/// A parsed header as compact tables, and the index of names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/formats/safetensors/header.hpp>

#include "data/text/json_text.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::safetensors::detail {

/// The format's own limit for headers, whatever `Limits` allows.
inline constexpr std::uint64_t largest_header = 100'000'000;
/// The size of the length in front of a header, in bytes.
inline constexpr std::uint64_t length_size = 8;
/// The one key of a header that is not a tensor.
inline constexpr std::string_view metadata_key = "__metadata__";

/// The number of bytes that must be readable after a text that is parsed. Their values do not
/// matter.
inline constexpr std::size_t text_padding = 128;

/// JSON text in memory that the library owns, so that nobody changes it between its check and its
/// use. It is followed by `text_padding` readable bytes.
struct Text {
  std::shared_ptr<const char> data;
  std::size_t size = 0;

  [[nodiscard]] std::string_view view() const noexcept { return {data.get(), size}; }
  [[nodiscard]] static Text copy(std::span<const std::byte> bytes);
};

/// The number of bytes that decoding may write past what it decodes.
inline constexpr std::size_t text_slack = 8;

/// A header with some of its strings decoded before it is parsed.
struct StreamedHeader {
  struct String {
    std::size_t at;     ///< The position in the text, where its closing quote directly follows its
                        ///< opening one.
    std::size_t begin;  ///< The position in `decoded`.
    std::size_t size;
  };
  Text text;                           ///< The header without the content of the decoded strings.
  std::vector<String> strings;         ///< In order; valid UTF-8 without control characters.
  std::shared_ptr<std::byte> decoded;  ///< Has room for all strings of the text, too; may be null.
  std::size_t decoded_size = 0;
};

/// The tensors and the metadata of one header. Everything but duplicate names is checked.
class Table {
 public:
  /// \param text the whole header \param data_size the number of bytes after it in the file
  /// \throws Error as `Header::parse`
  Table(Text text, std::uint64_t data_size, const Limits& limits);
  /// \returns null if the header is not in the form that `parse_compact` knows: the whole text is
  /// needed then
  /// \throws Error as the constructor
  static std::optional<Table> of(StreamedHeader header, std::uint64_t data_size,
                                 const Limits& limits);

  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
  [[nodiscard]] std::string_view name(std::size_t index) const noexcept {
    return view(records_[index].name);
  }
  [[nodiscard]] TensorInfo info(std::size_t index) const;
  [[nodiscard]] DType dtype(std::size_t index) const noexcept { return records_[index].dtype; }
  [[nodiscard]] Shape shape(std::size_t index) const { return Shape(dims(records_[index])); }
  [[nodiscard]] std::uint64_t begin(std::size_t index) const noexcept {
    return records_[index].begin;
  }
  [[nodiscard]] std::uint64_t end(std::size_t index) const noexcept { return records_[index].end; }
  [[nodiscard]] const std::vector<MetadataEntry>& metadata() const noexcept { return metadata_; }

  /// Discards everything that was read from the text.
  void clear() noexcept;

 private:
  friend class HeaderParser;
  friend class CompactParser;
  explicit Table(StreamedHeader header);

  // A piece of the text or, from `text_.size` on, of the unescaped strings.
  struct Piece {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
  };
  // Half a cache line: touching fresh memory is a large part of the cost of opening.
  struct Record {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Piece name;
    std::uint32_t dims_at = 0;
    std::uint16_t rank = 0;
    DType dtype = DType::F32;
  };
  static_assert(sizeof(Record) == 32);

  template <class T>
  using Block = std::vector<T, platform::BlockAllocator<T>>;

  [[nodiscard]] std::string_view view(Piece piece) const noexcept {
    return piece.at < text_.size
               ? std::string_view(text_.data.get() + piece.at, piece.size)
               : std::string_view(
                     reinterpret_cast<const char*>(unescaped_.get()) + (piece.at - text_.size),
                     piece.size);
  }
  void reserve();
  /// Decodes the string that begins after its opening quote.
  /// \returns the result of `unescape`, and the piece if there is no fault
  std::pair<json::Unescaped, Piece> decode(const char* begin);
  [[nodiscard]] std::span<const std::uint64_t> dims(const Record& record) const noexcept {
    return std::span<const std::uint64_t>(dims_).subspan(record.dims_at, record.rank);
  }
  /// Whether dtype and shape amount to as many bytes as the offsets. Also false for numbers that
  /// are too large for a quick answer.
  [[nodiscard]] bool fits(const Record& record) const noexcept;
  /// Takes pairs of key and text. \throws Error `duplicate_name`
  void set_metadata(std::span<const std::pair<Piece, Piece>> entries);
  /// Sorts by place and checks that every byte belongs to exactly one tensor. \throws Error
  void check_layout(std::uint64_t data_size);
  [[noreturn]] void fail_layout(ErrorCode code, std::string problem, const Record& record,
                                std::string expected) const;

  Text text_;
  std::vector<StreamedHeader::String> strings_;  // They come first among the unescaped ones.
  std::shared_ptr<std::byte> unescaped_;
  std::size_t unescaped_size_ = 0;
  Block<Record> records_;
  Block<std::uint64_t> dims_;
  std::vector<MetadataEntry> metadata_;
};

/// Finds names, among up to 2^32 - 2 of them. As long as they ascend, as most writers sort them,
/// they are their own index: making an index of 100,000 names took 1.5 ms, and a lookup in it waits
/// for memory. Otherwise names are hashed: open addressing with a keyed hash, so that no file can
/// hold names chosen to collide.
class NameIndex {
 public:
  /// The most names of one index.
  static constexpr std::uint64_t largest = 0xFFFF'FFFE;

  /// An index for up to `most` names.
  explicit NameIndex(std::size_t most) noexcept : most_(most) {}

  /// Adds the names of the positions `first` to `last` - 1. All before `first` must have been
  /// added. Stops at a name that is there already and returns its position and that of its equal.
  /// \param name_at returns the name of any added position. \throws std::bad_alloc
  template <class NameAt>
  std::optional<std::pair<std::size_t, std::size_t>> insert(std::size_t first, std::size_t last,
                                                            const NameAt& name_at) {
    if (slots_.empty()) {
      while (first < last && (first == 0 || name_at(first - 1) < name_at(first))) ++first;
      count_ = first;
      if (first == last) return std::nullopt;
      make_slots();
      static_cast<void>(insert_hashed(0, first, name_at));
    }
    const auto twice = insert_hashed(first, last, name_at);
    count_ = twice ? twice->first : last;
    return twice;
  }

  /// \param near where the name is likely to be, or slightly before
  template <class NameAt>
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name, const NameAt& name_at,
                                                std::size_t near) const {
    if (slots_.empty()) return find_sorted(name, name_at, near);
    // The names of each dtype mostly ascend.
    constexpr std::size_t few = 3;
    for (std::size_t i = near; i < count_ && i < near + few; ++i)
      if (name_at(i) == name) return i;
    return find_hashed(name, name_at);
  }

 private:
  /// Searches from `near` in steps that double, so that a close name is found among its neighbours.
  /// Consecutive items of a list are neighbours, except for the prefixes of their numbers in
  /// between: 12399, 124, 1240, 12400.
  template <class NameAt>
  [[nodiscard]] std::optional<std::size_t> find_sorted(std::string_view name, const NameAt& name_at,
                                                       std::size_t near) const {
    std::size_t low = 0;
    std::size_t high = std::min(near, count_);
    for (std::size_t step = 1; high < count_; step *= 2) {
      const int order = name_at(high).compare(name);
      if (order == 0) return high;
      if (order > 0) break;
      low = high + 1;
      high = count_ - low > step ? low + step : count_;
    }
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const int order = name_at(middle).compare(name);
      if (order == 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return std::nullopt;
  }

  template <class NameAt>
  [[nodiscard]] std::optional<std::size_t> find_hashed(std::string_view name,
                                                       const NameAt& name_at) const {
    const std::uint64_t hash = hash_of(name);
    for (std::size_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const std::uint64_t found = slots_[slot];
      if (found == 0) return std::nullopt;
      if (((found ^ hash) & tag_mask) == 0 && name_at(position_of(found)) == name)
        return position_of(found);
    }
  }

  template <class NameAt>
  std::optional<std::pair<std::size_t, std::size_t>> insert_hashed(std::size_t first,
                                                                   std::size_t last,
                                                                   const NameAt& name_at) {
    // Slots lie anywhere in memory, so a batch of them is prefetched before the first is needed.
    constexpr std::size_t batch = 16;
    std::uint64_t hashes[batch];
    for (std::size_t begin = first; begin < last; begin += batch) {
      const std::size_t end = std::min(begin + batch, last);
      for (std::size_t i = begin; i < end; ++i) hashes[i - begin] = hash_and_fetch(name_at(i));
      for (std::size_t i = begin; i < end; ++i) {
        if (const auto equal = insert_one(i, hashes[i - begin], name_at)) return {{i, *equal}};
      }
    }
    return std::nullopt;
  }

  template <class NameAt>
  std::optional<std::size_t> insert_one(std::size_t position, std::uint64_t hash,
                                        const NameAt& name_at) {
    for (std::size_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const std::uint64_t found = slots_[slot];
      if (found == 0) {
        slots_[slot] = (hash & tag_mask) | (position + 1);
        return std::nullopt;
      }
      if (((found ^ hash) & tag_mask) == 0 && name_at(position_of(found)) == name_at(position))
        return position_of(found);
    }
  }

  // A slot holds the upper half of the hash and the position plus one; 0 is empty.
  static constexpr std::uint64_t tag_mask = 0xFFFF'FFFF'0000'0000;
  static std::size_t position_of(std::uint64_t slot) noexcept {
    return static_cast<std::size_t>((slot & ~tag_mask) - 1);
  }
  static std::uint64_t hash_of(std::string_view name) noexcept;
  [[nodiscard]] std::uint64_t hash_and_fetch(std::string_view name) const noexcept;
  void make_slots();

  std::size_t most_;
  std::size_t count_ = 0;
  std::vector<std::uint64_t, platform::BlockAllocator<std::uint64_t>>
      slots_;  // None while they ascend.
  std::size_t mask_ = 0;
};

/// Reads any header, with simdjson. \throws Error as `Header::parse`, except for the layout
void parse_any(Table& table, const Limits& limits);

/// Reads a header that is spelled as by the Rust crate, Python's package and this library: no
/// whitespace except after it, `__metadata__` first if at all, fields in the order dtype, shape,
/// data_offsets, no escapes in names. It accepts nothing that the general parser refuses, and has
/// the same result. It is three times as fast, since it needs no index of the text
/// (docs/performance.md).
/// \returns whether it was spelled so. Otherwise, including for any error, the table is unchanged
/// and the general parser decides
bool parse_compact(Table& table, const Limits& limits);

/// Returns an index of the names of a table. \throws Error `duplicate_name`
NameIndex index_names(const Table& table);

/// Throws unless a header of that many bytes is allowed. \throws Error `limit_exceeded`
void check_header_size(std::uint64_t length, const Limits& limits);
/// Throws unless a file of that size can hold the length of a header. \throws Error `truncated`
void check_file_size(std::uint64_t size);
/// Throws unless a header of that length fits into a file of `size` bytes, which `check_file_size`
/// passed. \throws Error `truncated`, `limit_exceeded`
void check_length(std::uint64_t length, std::uint64_t size, const Limits& limits);
/// Returns the little-endian number in the first eight bytes.
std::uint64_t read_length(std::span<const std::byte, 8> bytes) noexcept;

/// Returns the value of a key among entries in ascending order.
std::optional<std::string_view> find_metadata(std::span<const MetadataEntry> entries,
                                              std::string_view key) noexcept;

/// Throws the error in a text that a parser refused: `invalid_utf8` or `invalid_header`, with the
/// place.
/// \param what a name for the text in messages, such as "the header" \param offset of the text in
/// its file
[[noreturn]] void fail_json(std::string_view text, std::string_view what, std::uint64_t offset);

}  // namespace safestructures::inline v0::safetensors::detail
