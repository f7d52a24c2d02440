#include <safestructures/formats/safetensors/header.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"

#include "formats/safetensors/table.hpp"

namespace safestructures::inline v0::safetensors {

using safestructures::detail::Limit;
using safestructures::detail::past;
namespace detail {

struct HeaderState {
  explicit HeaderState(Table parsed) : table(std::move(parsed)), index(index_names(table)) {}
  Table table;
  NameIndex index;
};

std::uint64_t read_length(std::span<const std::byte, 8> bytes) noexcept {
  std::uint64_t length = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    length = length << 8U | static_cast<std::uint64_t>(bytes[i]);
  return length;
}

void check_header_size(std::uint64_t length, const Limits& limits) {
  if (length > largest_header) {
    throw Error(ErrorCode::limit_exceeded, "the header is larger than the format allows",
                {.expected = "at most 100000000 bytes",
                 .found = std::to_string(length),
                 .advice = "Check that this is a safetensors file"});
  }
  if (length > limits.header_bytes) {
    throw past(Limit::header_bytes, limits.header_bytes, {.found = std::to_string(length)});
  }
}

void check_file_size(std::uint64_t size) {
  if (size >= length_size) return;
  throw Error(ErrorCode::truncated, "the file is too short for a safetensors file",
              {.expected = "at least 8 bytes",
               .found = std::to_string(size),
               .advice = "Check that this is a safetensors file"});
}

void check_length(std::uint64_t length, std::uint64_t size, const Limits& limits) {
  check_header_size(length, limits);
  if (length > size - length_size) {
    throw Error(ErrorCode::truncated, "the file ends inside its header",
                {.expected = std::to_string(length) + " bytes of header",
                 .found = std::to_string(size - length_size),
                 .advice = "The file is not complete: copy or download it again"});
  }
}

}  // namespace detail

Header::Header(std::shared_ptr<const detail::HeaderState> state) noexcept
    : state_(std::move(state)) {}

Header Header::parse(std::span<const std::byte> json, std::uint64_t data_size,
                     const Limits& limits) {
  detail::check_header_size(json.size(), limits);
  return Header(std::make_shared<const detail::HeaderState>(
      detail::Table(detail::Text::copy(json), data_size, limits)));
}

std::size_t Header::size() const noexcept { return state_->table.size(); }
std::string_view Header::name(std::size_t index) const& noexcept {
  return state_->table.name(index);
}
TensorInfo Header::info(std::size_t index) const { return state_->table.info(index); }

std::optional<std::size_t> Header::find(std::string_view wanted) const noexcept {
  return state_->index.find(wanted, [this](std::size_t i) { return state_->table.name(i); }, 0);
}

std::span<const MetadataEntry> Header::metadata() const& noexcept {
  return state_->table.metadata();
}

std::optional<std::string_view> Header::metadata(std::string_view key) const& noexcept {
  return detail::find_metadata(metadata(), key);
}

namespace detail {

std::optional<std::string_view> find_metadata(std::span<const MetadataEntry> entries,
                                              std::string_view key) noexcept {
  const auto entry = std::lower_bound(
      entries.begin(), entries.end(), key,
      [](const MetadataEntry& a, std::string_view wanted) { return a.key < wanted; });
  if (entry == entries.end() || entry->key != key) return std::nullopt;
  return entry->value;
}

}  // namespace detail
}  // namespace safestructures::inline v0::safetensors
