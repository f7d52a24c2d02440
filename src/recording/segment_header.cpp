#include "recording/segment_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <numeric>
#include <utility>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
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
// {\"data_type\": \"numpy.ndarray\", \"value\": \"00000017:\", \"dtype\": \"F8_E4M3FNUZ\"},
constexpr std::uint64_t node_bound = 128;
// {\"data_type\": \"str\", \"value\": \"\"}, and a blank.
constexpr std::uint64_t name_bound = 64;
// Behind the sequence in the name of a tensor of rows.
constexpr std::string_view rows_name = "rows";
// 20,000 records of 4.4 KiB as rows were recorded in two thirds of the time, and opened in a tenth.
// Their bytes are hashed twice, which from about 24 KiB on takes longer than a line of their own.
constexpr std::uint64_t largest_row = std::uint64_t{16} << 10U;
// A dimension more must stay within Limits::rank, of everybody.
constexpr std::size_t most_dimensions = 8;

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

/// The node of a tensor in the schema.
std::string node_of(const StoredTensor& tensor, DType own) {
  // Of no elements: nothing but what is said of it is written.
  Value value(Tensor::allocate(tensor.dtype, Shape{0}));
  value.set_tensor_name(tensor.name);
  if (own != tensor.dtype) value.set_attribute(attributes::dtype, to_string(own));
  return schema::write(value, {.precision = Precision::preserve}).text;
}

template <class Number>
void append_column(std::string& bytes, const std::vector<Number>& column) {
  if constexpr (std::endian::native == std::endian::little) {
    bytes.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(Number));
  } else {
    for (const Number number : column)
      for (std::size_t i = 0; i < sizeof(Number); ++i)
        bytes += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xFFU);
  }
}

std::span<const std::byte> bytes_of(const std::string& text, std::uint64_t begin,
                                    std::uint64_t end) {
  return std::as_bytes(std::span(text))
      .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

/// The columns as they stand in a file, and their tensors. \param unused bytes behind them, which
/// become more where that makes all of it a multiple of 8
std::pair<std::string, std::vector<StoredTensor>> stored(const SegmentColumns& columns,
                                                         std::uint64_t unused, bool checksums) {
  std::string bytes;
  const std::uint64_t used = columns.sequence.size() * SegmentColumns::record_size;
  platform::reserve_huge(bytes, static_cast<std::size_t>(used + unused + 8));
  std::vector<StoredTensor> tensors;
  const auto add = [&](std::string name, DType dtype, std::uint64_t size, std::uint64_t begin) {
    const std::uint64_t hash = checksums ? hash_of(bytes_of(bytes, begin, bytes.size())) : 0;
    tensors.push_back({std::move(name), dtype, Shape{size}, begin, bytes.size(), hash});
  };
  each_column(columns, [&]<class Number>(std::string_view name, const std::vector<Number>& column) {
    const std::uint64_t begin = bytes.size();
    append_column(bytes, column);
    add(std::string(name), dtype_of<Number>, column.size(), begin);
  });
  if (const std::uint64_t size = unused + (8 - (used + unused) % 8) % 8; size != 0) {
    const std::uint64_t begin = bytes.size();
    bytes.append(static_cast<std::size_t>(size), '\0');
    add(std::string(gap_prefix) + "columns", DType::U8, size, begin);
  }
  return {std::move(bytes), std::move(tensors)};
}

void append_entry(std::string& json, const StoredTensor& tensor, std::uint64_t data_begin) {
  json += ',';
  append_string(json, tensor.name);
  json.append(R"(:{"dtype":")").append(to_string(tensor.dtype)).append(R"(","shape":[)");
  for (bool first = true; const std::uint64_t size : tensor.shape) {
    if (!std::exchange(first, false)) json += ',';
    append_number(json, size);
  }
  json += "],\"data_offsets\":[";
  append_number(json, data_begin + tensor.begin);
  json += ',';
  append_number(json, data_begin + tensor.end);
  json += "]}";
}

}  // namespace

bool may_be_row(const Frame& frame) noexcept {
  return frame.is_lone_tensor() && frame.begin != frame.end &&
         frame.end - frame.begin <= largest_row && bit_width(frame.tensors.front().dtype) >= 8 &&
         frame.tensors.front().shape.size() < most_dimensions;
}

bool are_alike(const Frame& a, const Frame& b) noexcept {
  const StoredTensor& left = a.tensors.front();
  const StoredTensor& right = b.tensors.front();
  return a.own_dtype == b.own_dtype && left.dtype == right.dtype && left.shape == right.shape;
}

std::uint64_t SegmentHeader::cost_of_name(std::string_view name) {
  return name_bound + twice_escaped(name);
}

std::uint64_t SegmentHeader::cost(const Frame& frame) {
  // A gap in front, for alignment.
  std::uint64_t bytes =
      cost_of_row(frame) + entry_bound + dimension_bound + 2 * (gap_prefix.size() + 20);
  if (frame.is_lone_tensor()) {
    // Its name is in its line, its node and its checksum. One dimension more is that of rows.
    const std::uint64_t name = 20 + twice_escaped(frame.head.name);
    return bytes + cost_of(frame.tensors.front()) + 3 * name + node_bound + dimension_bound;
  }
  bytes += escaped(frame.schema) + 2;
  for (const StoredTensor& tensor : frame.tensors) bytes += cost_of(tensor);
  return bytes;
}

std::uint32_t SegmentHeader::add_name(std::string_view name) {
  if (const auto found = places_.find(name); found != places_.end()) return found->second;
  const auto place = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  places_.emplace(name, place);
  bound_ += cost_of_name(name);
  return place;
}

void SegmentHeader::add_gap(std::uint64_t end, std::uint64_t hash) {
  tensors_.push_back({std::string(gap_prefix) + std::to_string(end_), DType::U8, Shape{end - end_},
                      end_, end, hash});
  end_ = end;
}

void SegmentHeader::add_node(const std::string& node) {
  if (!nodes_.empty()) nodes_ += ", ";
  nodes_ += node;
  ++values_;
}

void SegmentHeader::add_value(Frame& frame) {
  bound_ += cost(frame) - cost_of_name(frame.head.name);
  if (frame.is_lone_tensor()) {
    StoredTensor& tensor = frame.tensors.front();
    tensor.name = tensor_name_start(frame.head.sequence).append(frame.head.name);
    add_node(node_of(tensor, frame.own_dtype));
  } else {
    add_node(frame.schema);
  }
  std::ranges::move(frame.tensors, std::back_inserter(tensors_));
  end_ = frame.end;
}

void SegmentHeader::add_rows(const Frame& first, std::size_t count, std::uint64_t hash) {
  const StoredTensor& row = first.tensors.front();
  bound_ += cost(first) - cost_of_name(first.head.name) + (count - 1) * SegmentColumns::record_size;
  std::vector<std::uint64_t> shape = {count};
  shape.insert(shape.end(), row.shape.begin(), row.shape.end());
  StoredTensor rows{tensor_name_start(first.head.sequence).append(rows_name),
                    row.dtype,
                    Shape(shape),
                    row.begin,
                    row.begin + count * (row.end - row.begin),
                    hash};
  add_node(node_of(rows, first.own_dtype));
  end_ = rows.end;
  tensors_.push_back(std::move(rows));
}

void SegmentHeader::add_record(const RecordHead& head, Place place) {
  columns_.sequence.push_back(head.sequence);
  columns_.step.push_back(head.step);
  columns_.call.push_back(head.call);
  columns_.time.push_back(head.time);
  columns_.name.push_back(add_name(head.name));
  columns_.thread.push_back(head.thread);
  columns_.value.push_back(place.value);
  columns_.row.push_back(place.row);
  columns_.kept.push_back(static_cast<std::uint8_t>(head.keep));
}

void SegmentHeader::add(std::span<Frame* const> frames, const HashOf& hash_of) {
  std::vector<std::size_t> order(frames.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Those without bytes come before the one that begins where they do.
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return std::pair(frames[i]->begin, frames[i]->end); });
  std::vector<Place> places(frames.size());
  for (std::size_t at = 0; at < order.size();) {
    Frame& first = *frames[order[at]];
    if (first.begin != end_) add_gap(first.begin, hash_of(end_, first.begin));
    std::size_t count = 1;
    const auto is_next_row = [&](const Frame& next) {
      return may_be_row(next) && are_alike(first, next) &&
             next.begin == first.begin + count * (first.end - first.begin);
    };
    if (may_be_row(first))
      while (at + count < order.size() && is_next_row(*frames[order[at + count]])) ++count;
    for (std::size_t i = 0; i < count; ++i)
      places[order[at + i]] = {values_, count == 1 ? no_row : static_cast<std::int32_t>(i)};
    if (count == 1) add_value(first);
    else
      add_rows(first, count, hash_of(first.begin, first.begin + count * (first.end - first.begin)));
    at += count;
  }
  for (std::size_t i = 0; i < frames.size(); ++i) add_record(frames[i]->head, places[i]);
}

std::string SegmentHeader::schema_text() const {
  Value root = Value::structure(std::string(fields::segment));
  Value names = Value::list();
  for (const std::string& name : names_) names.push_back(name);
  root.insert(fields::names, std::move(names));
  each_column(columns_, [&]<class Number>(std::string_view name, const std::vector<Number>&) {
    Value column(Tensor::allocate(dtype_of<Number>, Shape{0}));
    column.set_tensor_name(std::string(name));
    root.insert(name, std::move(column));
  });
  root.insert(fields::values, Value::list());
  std::string text = schema::write(root).text;
  // Into the last field's empty list.
  text.insert(text.rfind("[]") + 1, nodes_);
  return text;
}

std::string SegmentHeader::text(std::string about, std::uint64_t room, bool checksums) const {
  // Blanks in the header would be read: 3 MB of them were half of the time that opening 100,000
  // small records took.
  const std::uint64_t unused = room > bound_ ? room - bound_ : 0;
  const auto [columns, column_tensors] = stored(columns_, unused, checksums);
  Metadata metadata;
  if (!about.empty()) metadata.emplace(metadata_key, std::move(about));
  metadata.emplace(schema::metadata_key, schema_text());
  metadata.emplace(schema::version_key, schema::version);
  if (checksums) {
    std::vector<checksums::Known> known;
    known.reserve(column_tensors.size() + tensors_.size());
    for (const auto& tensors : {std::span(column_tensors), std::span(tensors_)})
      for (const StoredTensor& tensor : tensors)
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
  for (const StoredTensor& tensor : column_tensors) append_entry(json, tensor, 0);
  for (const StoredTensor& tensor : tensors_) append_entry(json, tensor, columns.size());
  json += '}';
  const std::uint64_t size = room == 0 ? (json.size() + 7) / 8 * 8 + columns.size() : room;
  if (json.size() + columns.size() > size) {
    if (metadata.contains(metadata_key)) return text({}, room, checksums);
    throw Error(ErrorCode::limit_exceeded, "the header does not fit into the room kept for it",
                {.expected = "at most " + std::to_string(size) + " bytes",
                 .found = std::to_string(json.size() + columns.size())});
  }
  json.resize(static_cast<std::size_t>(size) - columns.size(), ' ');
  for (std::size_t i = 0; i < length_size; ++i)
    json[i] = static_cast<char>((json.size() - length_size) >> (8 * i) & 0xFFU);
  return json += columns;
}

}  // namespace safestructures::inline v0::recording
