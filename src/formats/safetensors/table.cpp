#include "formats/safetensors/table.hpp"
#include "data/text/printable.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace safestructures::inline v0::safetensors::detail {

using safestructures::detail::for_message;
using safestructures::detail::in_quotes;
namespace {

constexpr auto largest_size = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
// The shortest description of a tensor, with an empty name and the comma:
// "":{"dtype":"U8","shape":[],"data_offsets":[0,0]},
constexpr std::size_t shortest_tensor = 50;

}  // namespace

Text Text::copy(std::span<const std::byte> bytes) {
  const std::shared_ptr<std::byte> buffer = platform::allocate_buffer(bytes.size() + text_padding);
  if (!bytes.empty()) std::memcpy(buffer.get(), bytes.data(), bytes.size());
  std::memset(buffer.get() + bytes.size(), 0, text_padding);
  return {std::shared_ptr<const char>(buffer, reinterpret_cast<const char*>(buffer.get())),
          bytes.size()};
}

Table::Table(Text text, std::uint64_t data_size, const Limits& limits) : text_(std::move(text)) {
  reserve();
  if (!parse_compact(*this, limits)) parse_any(*this, limits);
  check_layout(data_size);
}

Table::Table(StreamedHeader header)
    : text_(std::move(header.text)),
      strings_(std::move(header.strings)),
      unescaped_(std::move(header.decoded)),
      unescaped_size_(header.decoded_size) {
  reserve();
}

std::optional<Table> Table::of(StreamedHeader header, std::uint64_t data_size,
                               const Limits& limits) {
  Table table(std::move(header));
  if (!parse_compact(table, limits)) return std::nullopt;
  table.check_layout(data_size);
  return table;
}

TensorInfo Table::info(std::size_t index) const {
  return {name(index), dtype(index), shape(index), begin(index), end(index)};
}

void Table::clear() noexcept {
  records_.clear();
  dims_.clear();
  unescaped_size_ = 0;
}

void Table::reserve() {
  // An upper bound: untouched memory costs nothing.
  records_.reserve(text_.size / shortest_tensor + 1);
  dims_.reserve(text_.size / 32 + 1);
}

std::pair<json::Unescaped, Table::Piece> Table::decode(const char* begin) {
  // Unescaping never makes the strings longer in total.
  if (!unescaped_) unescaped_ = platform::allocate_buffer(text_.size + text_slack);
  char* const target = reinterpret_cast<char*>(unescaped_.get()) + unescaped_size_;
  const json::Unescaped result = json::unescape(begin, text_.data.get() + text_.size, target);
  const auto size = static_cast<std::size_t>(result.target_end - target);
  const Piece piece{static_cast<std::uint32_t>(text_.size + unescaped_size_),
                    static_cast<std::uint32_t>(size)};
  unescaped_size_ += size;
  return {result, piece};
}

bool Table::fits(const Record& record) const noexcept {
  std::uint64_t count = 1;
  bool is_empty = false;
  for (const std::uint64_t size : dims(record)) {
    if (size == 0) is_empty = true;
    else if (__builtin_mul_overflow(count, size, &count)) return false;
  }
  if (count > largest_size / 64) return false;
  const std::uint64_t bits = is_empty ? 0 : count * bit_width(record.dtype);
  return bits % 8 == 0 && bits / 8 == record.end - record.begin;
}

void Table::set_metadata(std::span<const std::pair<Piece, Piece>> entries) {
  metadata_.reserve(entries.size());
  for (const auto& [key, value] : entries) metadata_.push_back({view(key), view(value)});
  std::sort(metadata_.begin(), metadata_.end(),
            [](const MetadataEntry& a, const MetadataEntry& b) { return a.key < b.key; });
  const auto twice = std::adjacent_find(
      metadata_.begin(), metadata_.end(),
      [](const MetadataEntry& a, const MetadataEntry& b) { return a.key == b.key; });
  if (twice != metadata_.end()) {
    throw Error(ErrorCode::duplicate_name,
                "\"__metadata__\" holds the key " + in_quotes(twice->key) + " twice");
  }
}

void Table::fail_layout(ErrorCode code, std::string problem, const Record& record,
                        std::string expected) const {
  throw Error(
      code, std::move(problem),
      {.path = for_message(view(record.name)),
       .expected = std::move(expected),
       .found = "[" + std::to_string(record.begin) + ", " + std::to_string(record.end) + "]"});
}

// Checks that every byte of the data section belongs to exactly one tensor.
void Table::check_layout(std::uint64_t data_size) {
  const auto before = [](const Record& a, const Record& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  };
  // Empty tensors at the same place stay in the order of the header.
  if (!std::is_sorted(records_.begin(), records_.end(), before))
    std::stable_sort(records_.begin(), records_.end(), before);
  std::uint64_t expected = 0;
  for (const Record& record : records_) {
    if (record.begin != expected) {
      fail_layout(ErrorCode::invalid_offsets,
                  record.begin < expected ? "the tensor overlaps the one before it"
                                          : "there is a gap before the tensor",
                  record, "a tensor that begins at " + std::to_string(expected));
    }
    expected = record.end;
  }
  if (expected > data_size) {
    throw Error(ErrorCode::truncated, "the file ends before its tensors do",
                {.expected = std::to_string(expected) + " bytes of data",
                 .found = std::to_string(data_size),
                 .advice = "The file is not complete: copy or download it again"});
  }
  if (expected < data_size) {
    throw Error(ErrorCode::invalid_offsets, "there are bytes that belong to no tensor",
                {.expected = std::to_string(expected) + " bytes of data",
                 .found = std::to_string(data_size)});
  }
}

}  // namespace safestructures::inline v0::safetensors::detail
