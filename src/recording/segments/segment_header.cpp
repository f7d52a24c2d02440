#include "recording/segments/segment_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/formats/safestructures/checksums.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "data/text/json_text.hpp"
#include "formats/safestructures/checksums_text.hpp"
#include "platform/memory.hpp"
#include "platform/xxh3.hpp"

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
// The suffix after the sequence in the name of a tensor of rows.
constexpr std::string_view rows_name = "rows";
// As rows, 20,000 records of 4.4 KiB were recorded in two thirds of the time and opened in a tenth.
// Their bytes are hashed twice, which takes longer than an entry of their own from about 24 KiB on.
constexpr std::uint64_t largest_row = std::uint64_t{16} << 10U;
// Scattered damage would otherwise split rows into many tensors, with a gap for each, for which the
// recorder reserved no room. A loss of this many rows leaves more room than another tensor takes.
constexpr std::uint64_t most_lost_rows = 64;
// With one more dimension the rank must stay within any reader's Limits::rank.
constexpr std::size_t most_dimensions = 8;

void append_number(std::string& json, std::uint64_t number) {
  std::array<char, 20> digits;
  json.append(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

/// Returns the size of a text that is escaped as JSON twice.
std::uint64_t twice_escaped(std::string_view text) {
  if (json::is_plain(text)) return text.size();
  std::string json;
  json::append_string(json, text, json::Escapes::all, nullptr);
  return 2 * json.size();
}

/// Returns the size of an ASCII text inside a JSON string.
std::uint64_t escaped(std::string_view json) {
  // Counting in a byte, as long as it cannot overflow, is vectorised.
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

/// The cost of a tensor's header entry, without its name.
constexpr std::uint64_t cost_of_line(std::size_t rank) {
  return entry_bound + dimension_bound * rank;
}
/// The cost of a gap before a value, for alignment.
constexpr std::uint64_t cost_of_gap = cost_of_line(1) + 2 * (gap_prefix.size() + 20);

/// Returns the kind that a record has as a row; null if it does not become one.
std::optional<RowKind> kind_of(const Frame& frame) {
  if (!frame.is_lone_tensor()) return std::nullopt;
  const StoredTensor& tensor = frame.tensors.front();
  if (!may_be_row(tensor.dtype, tensor.shape, frame.end - frame.begin)) return std::nullopt;
  return RowKind{tensor.dtype, frame.own_dtype, tensor.shape};
}

/// Returns the schema node of a tensor.
std::string node_of(const StoredTensor& tensor, DType own) {
  // Without elements, because only its description is written.
  Value value(Tensor::allocate(tensor.dtype, Shape{0}));
  value.set_tensor_name(tensor.name);
  if (own != tensor.dtype) value.set_attribute(attributes::dtype, to_string(own));
  return schema::write(value, {.precision = Precision::preserve}).text;
}

/// Adds the columns and the zeros after them to what precedes the data.
/// \param unused the number of zeros; a few more are added to make the total a multiple of 8
/// \returns their tensors
std::vector<StoredTensor> add_columns(SegmentFront& front, const SegmentColumns& columns,
                                      std::uint64_t unused, bool checksums) {
  std::vector<StoredTensor> tensors;
  std::uint64_t end = 0;
  const auto add = [&](std::string name, DType dtype, std::uint64_t size, std::uint64_t bytes,
                       std::uint64_t hash) {
    tensors.push_back({std::move(name), dtype, Shape{size}, end, end + bytes, hash});
    end += bytes;
  };
  each_column(columns, [&]<class Number>(std::string_view name, const std::vector<Number>& column) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(column));
    front.columns.push_back(bytes);
    add(std::string(name), dtype_of<Number>, column.size(), bytes.size(),
        checksums ? hash_of(bytes) : 0);
  });
  front.zeros = unused + (8 - (end + unused) % 8) % 8;
  if (front.zeros != 0)
    add(std::string(gap_prefix) + "columns", DType::U8, front.zeros, front.zeros,
        checksums ? hash_of_zeros(front.zeros) : 0);
  return tensors;
}

void append_entry(std::string& json, const StoredTensor& tensor, std::uint64_t data_begin) {
  json += ',';
  json::append_escaped(json, tensor.name);
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

std::uint64_t hash_of_zeros(std::uint64_t count) {
  static constexpr std::array<std::byte, 4096> zeros{};
  platform::Xxh3 hash;
  for (; count > zeros.size(); count -= zeros.size()) hash.add(zeros);
  hash.add(std::span(zeros).first(static_cast<std::size_t>(count)));
  return hash.value();
}

bool may_be_row(DType dtype, const Shape& shape, std::uint64_t bytes) noexcept {
  return bytes != 0 && bytes <= largest_row && bit_width(dtype) >= 8 &&
         shape.size() < most_dimensions;
}

std::uint64_t SegmentHeader::cost_of_name(std::string_view name) {
  return name_bound + twice_escaped(name);
}

std::uint64_t SegmentHeader::cost_of_tensor(std::uint64_t of_name, std::size_t rank) noexcept {
  // Its name is in its entry, its node and its checksum, too. Rows have one more dimension.
  return SegmentColumns::record_size + cost_of_gap + cost_of_line(rank + 1) + 4 * of_name +
         node_bound;
}

std::uint64_t SegmentHeader::cost(const Frame& frame) {
  const std::uint64_t of_name = cost_of_name(frame.head.name);
  if (frame.is_lone_tensor()) return cost_of_tensor(of_name, frame.tensors.front().shape.size());
  std::uint64_t bytes =
      SegmentColumns::record_size + of_name + cost_of_gap + escaped(frame.schema) + 2;
  for (const StoredTensor& tensor : frame.tensors)
    bytes += 2 * twice_escaped(tensor.name) + cost_of_line(tensor.shape.size());
  return bytes;
}

std::optional<std::uint32_t> SegmentHeader::find_name(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::uint32_t SegmentHeader::add_name(std::string_view name) {
  if (const auto found = find_name(name)) return *found;
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

std::uint32_t SegmentHeader::add_node(const std::string& node) {
  if (!nodes_.empty()) nodes_ += ", ";
  nodes_ += node;
  return values_++;
}

std::uint32_t SegmentHeader::add_value(Frame& frame) {
  bound_ += cost(frame) - cost_of_name(frame.head.name);
  end_ = frame.end;
  std::string node;
  if (frame.is_lone_tensor()) {
    StoredTensor& tensor = frame.tensors.front();
    tensor.name = tensor_name_start(frame.head.sequence).append(frame.head.name);
    node = node_of(tensor, frame.own_dtype);
  } else {
    node = std::move(frame.schema);
  }
  std::ranges::move(frame.tensors, std::back_inserter(tensors_));
  return add_node(node);
}

std::uint32_t SegmentHeader::add_rows(const RecordHead& first, const Rows& rows) {
  const Shape& row = rows.kind.shape;
  const std::uint64_t of_name = cost_of_name(first.name);
  bound_ += cost_of_tensor(of_name, row.size()) - of_name +
            (rows.count - rows.lost - 1) * SegmentColumns::record_size;
  end_ = rows.begin + rows.count * rows.bytes;
  StoredTensor tensor{.name = tensor_name_start(first.sequence),
                      .dtype = rows.kind.dtype,
                      .shape = row,
                      .begin = rows.begin,
                      .end = end_,
                      .hash = rows.hash};
  if (rows.count == 1) {
    tensor.name += first.name;
  } else {
    tensor.name += rows_name;
    std::vector<std::uint64_t> shape = {rows.count};
    shape.insert(shape.end(), row.begin(), row.end());
    tensor.shape = Shape(shape);
  }
  const std::string node = node_of(tensor, rows.kind.own_dtype);
  tensors_.push_back(std::move(tensor));
  return add_node(node);
}

void SegmentHeader::expect_records(std::size_t count) {
  if (records() != 0) return;
  each_column(columns_, [&](std::string_view, auto& column) { column.reserve(count); });
}

void SegmentHeader::add_record(const RecordHead& head, Place place, std::uint32_t name) {
  columns_.sequence.push_back(head.sequence);
  columns_.step.push_back(head.step);
  columns_.call.push_back(head.call);
  columns_.time.push_back(head.time);
  columns_.name.push_back(name);
  columns_.thread.push_back(head.thread);
  columns_.value.push_back(place.value);
  columns_.row.push_back(place.row);
  columns_.kept.push_back(static_cast<std::uint8_t>(head.keep));
}

SegmentHeader::Mark SegmentHeader::mark() const noexcept {
  return {records(), nodes_.size(), values_, tensors_.size(), bound_, end_};
}

void SegmentHeader::back_to(const Mark& mark) noexcept {
  // Nothing grows: if memory ran out, some columns have one record more than the others.
  each_column(columns_, [&](std::string_view, auto& column) { column.resize(mark.records); });
  nodes_.resize(mark.nodes);
  values_ = mark.values;
  tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(mark.tensors), tensors_.end());
  bound_ = mark.bound;
  end_ = mark.end;
}

void SegmentHeader::add(std::span<Frame* const> frames, const HashOf& hash_of) {
  std::vector<std::size_t> order(frames.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Frames without bytes come before the one that begins at the same place.
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return std::pair(frames[i]->begin, frames[i]->end); });
  std::vector<Place> places(frames.size());
  for (std::size_t at = 0; at < order.size();) {
    Frame& first = *frames[order[at]];
    const std::optional<RowKind> kind = kind_of(first);
    if (!kind) {
      if (first.begin != end_) add_gap(first.begin, hash_of(end_, first.begin));
      places[order[at++]].value = add_value(first);
      continue;
    }
    Rows rows{*kind, first.begin, first.end - first.begin, 1, first.tensors.front().hash};
    if (first.begin - end_ >= rows.bytes) {
      // A lone row would have the name of its record, for which there may be no room either.
      rows.begin -= rows.bytes;
      rows.count = 2;
      rows.lost = 1;
    }
    if (rows.begin != end_) add_gap(rows.begin, hash_of(end_, rows.begin));
    std::size_t behind = at + 1;
    for (; behind < order.size(); ++behind) {
      const Frame& next = *frames[order[behind]];
      const std::uint64_t between = next.begin - (rows.begin + rows.count * rows.bytes);
      // Usually 0, without a division for each record.
      const std::uint64_t lost = between == 0 ? 0 : between / rows.bytes;
      if (lost > most_lost_rows || between != lost * rows.bytes || kind_of(next) != kind) break;
      rows.lost += lost;
      rows.count += lost + 1;
    }
    if (rows.count != 1) rows.hash = hash_of(rows.begin, rows.begin + rows.count * rows.bytes);
    const std::uint32_t value = add_rows(first.head, rows);
    for (; at < behind; ++at) {
      const std::uint64_t row = (frames[order[at]]->begin - rows.begin) / rows.bytes;
      places[order[at]] = {value, rows.count == 1 ? no_row : static_cast<std::int32_t>(row)};
    }
  }
  for (std::size_t i = 0; i < frames.size(); ++i)
    add_record(frames[i]->head, places[i], add_name(frames[i]->head.name));
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

SegmentFront SegmentHeader::front(std::string about, std::uint64_t room, bool checksums) const {
  // Padding in the header would have to be parsed: 3 MB of blanks took half of the time of opening
  // 100,000 small records.
  SegmentFront front;
  const std::vector<StoredTensor> column_tensors =
      add_columns(front, columns_, room > bound_ ? room - bound_ : 0, checksums);
  const std::uint64_t columns_end = column_tensors.back().end;
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
  std::string& json = front.header;
  platform::reserve_huge(json, static_cast<std::size_t>(bound_));
  json.assign(length_size, '\0');
  json += R"({"__metadata__":{)";
  for (bool first = true; const auto& [key, value] : metadata) {
    if (!std::exchange(first, false)) json += ',';
    json::append_escaped(json, key);
    json += ':';
    json::append_escaped(json, value);
  }
  json += '}';
  for (const StoredTensor& tensor : column_tensors) append_entry(json, tensor, 0);
  for (const StoredTensor& tensor : tensors_) append_entry(json, tensor, columns_end);
  json += '}';
  const std::uint64_t size = room == 0 ? (json.size() + 7) / 8 * 8 + columns_end : room;
  if (json.size() + columns_end > size) {
    if (metadata.contains(metadata_key)) return this->front({}, room, checksums);
    throw Error(ErrorCode::limit_exceeded, "the header does not fit into the room kept for it",
                {.expected = "at most " + std::to_string(size) + " bytes",
                 .found = std::to_string(json.size() + columns_end)});
  }
  json.resize(static_cast<std::size_t>(size - columns_end), ' ');
  for (std::size_t i = 0; i < length_size; ++i)
    json[i] = static_cast<char>((json.size() - length_size) >> (8 * i) & 0xFFU);
  return front;
}

std::uint64_t SegmentFront::size() const noexcept {
  std::uint64_t size = header.size() + zeros;
  for (const std::span<const std::byte> column : columns) size += column.size();
  return size;
}

std::string SegmentFront::text() const {
  std::string text = header;
  for (const std::span<const std::byte> column : columns)
    text.append(reinterpret_cast<const char*>(column.data()), column.size());
  text.append(static_cast<std::size_t>(zeros), '\0');
  return text;
}

}  // namespace safestructures::inline v0::recording
