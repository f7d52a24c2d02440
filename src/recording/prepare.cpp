#include "recording/prepare.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "data/limit.hpp"
#include "data/utf8.hpp"

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

Value value_of(CapturedRecord record) {
  std::vector<Entry> entries;
  entries.reserve(8);
  entries.push_back({fields::name, record.name});
  entries.push_back({fields::step, record.step});
  entries.push_back({fields::call, record.call});
  entries.push_back({fields::thread, record.thread});
  entries.push_back({fields::sequence, record.sequence});
  entries.push_back({fields::time, record.time});
  entries.push_back({fields::kept, to_string(record.keep)});
  entries.push_back({fields::value, std::move(record.value)});
  return Value::structure(std::string(fields::record), std::move(entries));
}

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
  const Value value = value_of(std::move(record));
  schema::Written written = schema::write(value, options);
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
