#include "recording/segment_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/formats/safestructures/checksums.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "formats/json_string.hpp"
#include "formats/safestructures/checksums_text.hpp"
#include "formats/safetensors/json_text.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::recording {
namespace {

constexpr std::uint64_t length_size = 8;
// "":{"dtype":"F8_E4M3FNUZ","shape":[],"data_offsets":[0,0]}, with two numbers of 20 digits, and
// \"\":\"0123456789abcdef\", among the checksums.
constexpr std::uint64_t entry_bound = 128;
constexpr std::uint64_t dimension_bound = 21;
// A segment is a list of its records.
constexpr std::string_view schema_begin = R"({"data_type": "list", "value": [)";
constexpr std::string_view schema_end = "]}";

void append_string(std::string& json, std::string_view text) {
  // In pieces, since the bound is six times the text.
  constexpr std::size_t piece = std::size_t{4} << 10U;
  std::array<char, safetensors::detail::escaped_bound(piece)> room;
  json += '"';
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    json.append(room.data(), safetensors::detail::escape(text.substr(0, piece), room.data()));
  json += '"';
}

void append_number(std::string& json, std::uint64_t number) {
  std::array<char, 20> digits;
  json.append(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

/// Bytes of a text whose JSON is part of JSON again.
std::uint64_t twice_escaped(std::string_view text) {
  if (safetensors::detail::is_plain(text)) return text.size();
  std::string json;
  detail::append_json_string(json, text, detail::Escapes::all, nullptr);
  return 2 * json.size();
}

/// Bytes of a text whose characters are ASCII as the inside of a JSON string.
std::uint64_t escaped(std::string_view json) {
  // What is counted in a byte, for as long as it cannot overflow, is counted many at a time.
  constexpr std::size_t block = 240;
  std::uint64_t size = json.size();
  for (; !json.empty(); json.remove_prefix(std::min(block, json.size()))) {
    std::uint8_t special = 0;
    for (const char c : json.substr(0, block))
      special = static_cast<std::uint8_t>(special + (c == '"' || c == '\\' ? 1 : 0));
    size += special;
  }
  return size;
}

std::uint64_t cost_of(const StoredTensor& tensor) {
  return 2 * twice_escaped(tensor.name) + entry_bound + dimension_bound * tensor.shape.size();
}

}  // namespace

std::uint64_t SegmentHeader::cost(const Frame& frame) {
  std::uint64_t bytes = escaped(frame.schema) + 2;
  for (const StoredTensor& tensor : frame.tensors) bytes += cost_of(tensor);
  // A gap in front, for alignment.
  return bytes + entry_bound + dimension_bound + 2 * (gap_prefix.size() + 20);
}

SegmentHeader::SegmentHeader(std::uint64_t room) {
  // Of 256 bytes' records a third of the header is left for escapes, tensors and checksums.
  platform::reserve_huge(schema_, static_cast<std::size_t>(room / 3 * 2));
}

void SegmentHeader::append_tensor(StoredTensor tensor) {
  end_ = tensor.end;
  tensors_.push_back(std::move(tensor));
}

void SegmentHeader::add(Frame frame) {
  const std::uint64_t bytes = cost(frame);
  add(std::move(frame), bytes);
}

void SegmentHeader::add(Frame frame, std::uint64_t cost) {
  bound_ += cost;
  ++records_;
  if (!schema_.empty()) schema_ += ", ";
  schema_ += frame.schema;
  end_ = frame.end;
  for (StoredTensor& tensor : frame.tensors) append_tensor(std::move(tensor));
}

void SegmentHeader::add_gap(std::uint64_t end, std::uint64_t hash) {
  append_tensor({std::string(gap_prefix) + std::to_string(end_), DType::U8, Shape{end - end_}, end_,
                 end, hash});
}

void SegmentHeader::add_dummy() {
  constexpr std::array<std::byte, 8> zeros{};
  append_tensor({std::string(schema::dummy_tensor), DType::I64, Shape{1}, end_, end_ + zeros.size(),
                 hash_of(zeros)});
}

std::uint64_t SegmentHeader::aligned_end(std::size_t alignment) const noexcept {
  return (end_ + alignment - 1) / alignment * alignment;
}

std::string SegmentHeader::text(std::string about, std::uint64_t room, bool checksums) const {
  Metadata metadata;
  if (!about.empty()) metadata.emplace(metadata_key, std::move(about));
  std::string& schema = metadata[std::string(schema::metadata_key)];
  platform::reserve_huge(schema, schema_.size() + schema_begin.size() + schema_end.size());
  schema.append(schema_begin).append(schema_).append(schema_end);
  metadata.emplace(schema::version_key, schema::version);
  if (checksums) {
    std::vector<checksums::Known> known;
    known.reserve(tensors_.size());
    for (const StoredTensor& tensor : tensors_)
      known.push_back({tensor.name, tensor.dtype, &tensor.shape, tensor.hash});
    metadata.emplace(checksums::metadata_key, checksums::text_of(std::move(known), metadata));
  }
  std::string json;
  platform::reserve_huge(json, static_cast<std::size_t>(std::max(room, bound_)));
  json.assign(length_size, '\0');
  json += R"({"__metadata__":{)";
  for (bool first = true; const auto& [key, value] : metadata) {
    if (!std::exchange(first, false)) json += ',';
    append_string(json, key);
    json += ':';
    append_string(json, value);
  }
  json += '}';
  for (const StoredTensor& tensor : tensors_) {
    json += ',';
    append_string(json, tensor.name);
    json.append(R"(:{"dtype":")").append(to_string(tensor.dtype)).append(R"(","shape":[)");
    for (bool first = true; const std::uint64_t size : tensor.shape) {
      if (!std::exchange(first, false)) json += ',';
      append_number(json, size);
    }
    json += "],\"data_offsets\":[";
    append_number(json, tensor.begin);
    json += ',';
    append_number(json, tensor.end);
    json += "]}";
  }
  json += '}';
  const std::uint64_t size = room == 0 ? (json.size() + 7) / 8 * 8 : room;
  if (json.size() > size) {
    if (metadata.contains(metadata_key)) return text({}, room, checksums);
    throw Error(ErrorCode::limit_exceeded, "the header does not fit into the room kept for it",
                {.expected = "at most " + std::to_string(size) + " bytes",
                 .found = std::to_string(json.size())});
  }
  json.resize(static_cast<std::size_t>(size), ' ');
  for (std::size_t i = 0; i < length_size; ++i)
    json[i] = static_cast<char>((size - length_size) >> (8 * i) & 0xFFU);
  return json;
}

}  // namespace safestructures::inline v0::recording
