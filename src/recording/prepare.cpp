#include "recording/prepare.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "data/limit.hpp"
#include "formats/json_string.hpp"
#include "formats/safestructures/schema_inside.hpp"

namespace safestructures::inline v0::recording {
namespace {

/// The start of the names of a record's tensors, which no other record has: names sort as calls.
std::string name_start(const CapturedRecord& record) {
  constexpr std::size_t digits = 8;
  std::string number = std::to_string(record.sequence);
  if (number.size() < digits) number.insert(0, digits - number.size(), '0');
  return number + ":";
}

/// Names every tensor by the record and its place in it; those that had a name keep it at the end.
void name_tensors(Value& value, const std::string& start, std::string_view record) {
  const std::string whole = start + std::string(record);
  const auto rename = [&](Value& node, const std::string& place) {
    const std::string& own = node.tensor_name();
    std::string name = whole;
    if (!own.empty()) name.append("/").append(own);
    else if (!place.empty()) name.append(".").append(place);
    node.set_tensor_name(std::move(name));
  };
  if (value.kind() == Kind::tensor && value.attributes().empty()) return rename(value, {});
  walk(value, [&](Value& node, const Place& place) {
    if (node.kind() == Kind::tensor || node.kind() == Kind::bytes)
      rename(node, place.path().dotted());
    return Next::into;
  });
}

/// The text of a record but for what differs between records: what stands before each field's
/// value, and behind the last. Cut out of a record that the schema's writer wrote, since building
/// and writing a Value for each costs more than all else that is done to a small record.
class RecordText {
 public:
  RecordText() {
    const Value value = Value::structure(std::string(fields::record), {{fields::name, "0"},
                                                                       {fields::step, 0},
                                                                       {fields::call, 0},
                                                                       {fields::thread, 0},
                                                                       {fields::sequence, 0},
                                                                       {fields::time, 0},
                                                                       {fields::kept, "0"},
                                                                       {fields::value, "0"}});
    const schema::Written written = schema::write(value);
    std::string_view rest = written.text;
    for (std::string& piece : std::span(pieces_).first(own_fields)) {
      const std::size_t place = rest.find(cut);
      piece = rest.substr(0, place);
      rest.remove_prefix(place + cut.size());
    }
    const schema::Written inner = schema::write("0");
    const std::size_t place = rest.find(inner.text);
    pieces_[own_fields] = rest.substr(0, place);
    pieces_[own_fields + 1] = rest.substr(place + inner.text.size());
  }

  /// The record around its value. \throws Error `invalid_utf8`
  [[nodiscard]] schema::Around around(const CapturedRecord& record) const {
    std::string text;
    text.reserve(most_without_name + record.name.size());
    const Trace trace{nullptr, fields::name};
    text += pieces_[0];
    detail::append_json_string(text, record.name, detail::Escapes::all, &trace);
    append_number(text, 1, record.step);
    append_number(text, 2, record.call);
    append_number(text, 3, record.thread);
    append_number(text, 4, record.sequence);
    append_number(text, 5, record.time);
    text.append(pieces_[6]).append(1, '"').append(to_string(record.keep)).append(1, '"');
    text += pieces_[own_fields];
    return {.before = std::move(text),
            .after = pieces_[own_fields + 1],
            .step = fields::value,
            .nodes = own_fields + 1};
  }

 private:
  static constexpr std::size_t own_fields = 7;  // Those in front of the value.
  static constexpr std::string_view cut = "\"0\"";
  // Of the text before the value, and somewhat more for a tensor.
  static constexpr std::size_t most_without_name = 768;

  template <class Number>
  void append_number(std::string& text, std::size_t field, Number number) const {
    std::array<char, 20> digits;
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text.append(pieces_[field]).append(1, '"').append(digits.data(), end).append(1, '"');
  }

  std::array<std::string, own_fields + 2> pieces_;
};

Tensor stored(const safetensors::Item& item) {
  if (item.tensor->dtype() != item.dtype) return item.tensor->to(item.dtype, Overflow::allow);
  return item.tensor->contiguous();
}

}  // namespace

PreparedRecord prepare(CapturedRecord record, const Limits& limits) {
  const std::string start = name_start(record);
  name_tensors(record.value, start, record.name);
  PreparedRecord prepared;
  prepared.frame.sequence = record.sequence;
  SaveOptions options;
  options.precision = record.precision;
  options.limits = limits;
  static const RecordText record_text;
  schema::Written written = schema::write_inside(record.value, record_text.around(record), options);
  prepared.frame.schema = std::move(written.text);
  // By descending alignment, so that none needs a gap in front.
  std::vector<const safetensors::Item*> items;
  items.reserve(written.tensors.size());
  for (const std::size_t wanted : {8U, 4U, 2U, 1U})
    for (const safetensors::Item& item : written.tensors)
      if (alignment(item.dtype) == wanted) items.push_back(&item);
  if (!items.empty()) prepared.alignment = alignment(items.front()->dtype);
  std::uint64_t end = 0;
  for (const safetensors::Item* const one : items) {
    const safetensors::Item& item = *one;
    // Keys of dicts are not renamed: their tensors could have the names of another record's.
    if (!item.name.starts_with(start))
      throw Error(ErrorCode::invalid_argument,
                  "a key of a dict that holds a tensor cannot be recorded",
                  {.path = std::string(item.name), .advice = "Record the tensor as a value"});
    const Shape& shape = item.tensor->shape();
    if (shape.size() > limits.rank)
      throw detail::past(detail::Limit::rank, limits.rank,
                         {.path = std::string(item.name), .found = std::to_string(shape.size())});
    try {
      prepared.tensors.push_back(stored(item));
    } catch (const Error& error) {
      throw error.with_path(item.name);
    }
    const std::uint64_t size = byte_size(item.dtype, shape);
    prepared.frame.tensors.push_back(
        {std::string(item.name), item.dtype, shape, end, end + size, 0});
    end += size;
  }
  prepared.frame.end = end;
  prepared.cost = SegmentHeader::cost(prepared.frame);
  return prepared;
}

}  // namespace safestructures::inline v0::recording
