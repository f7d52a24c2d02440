#include "recording/recorder/prepare.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <safestructures/data/error.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "data/limit.hpp"
#include "formats/safestructures/schema_inside.hpp"

namespace safestructures::inline v0::recording {
namespace {

/// Names every tensor by the record and its place in it, followed by the name that it had, if any.
void name_tensors(Value& value, const std::string& start, std::string_view record) {
  const std::string whole = start + std::string(record);
  walk(value, [&](Value& node, const Place& place) {
    if (!node.has_tensor()) return Next::into;
    const std::string& own = node.tensor_name();
    const std::string dotted = place.path().dotted();
    std::string name = whole;
    if (!own.empty()) name.append("/").append(own);
    else if (!dotted.empty()) name.append(".").append(dotted);
    node.set_tensor_name(std::move(name));
    return Next::into;
  });
}

std::string path_of(const RecordHead& head) {
  Path path;
  path.push_back(std::string(head.name));
  return path.to_string();
}

/// Returns an error with the path of the tensor that it is about, the first that is wanted: its
/// name in the file is not the user's.
template <class Wanted>
Error at_tensor(const Error& error, const CapturedRecord& record, const Wanted& is_wanted) {
  std::string path = "/";
  walk(std::get<Value>(record.value), [&](const Place& place) {
    if (!place.value().has_tensor() || !is_wanted(place.value())) return Next::into;
    path = place.path().to_string();
    return Next::stop;
  });
  return error.with_path(path).with_parent_path(path_of(record.head));
}

void add_tensor(PreparedRecord& prepared, const Tensor& tensor, DType dtype, std::string name,
                const Limits& limits, BufferPool& pool) {
  const Shape& shape = tensor.shape();
  if (shape.size() > limits.rank)
    throw detail::past(detail::Limit::rank, limits.rank, {.found = std::to_string(shape.size())});
  prepared.tensors.push_back(converted(tensor, dtype, pool));
  Frame& frame = prepared.frame;
  const std::uint64_t end = frame.end + byte_size(dtype, shape);
  frame.tensors.push_back({std::move(name), dtype, shape, frame.end, end, 0});
  frame.end = end;
}

void add_structure(PreparedRecord& prepared, CapturedRecord& record, const Limits& limits,
                   BufferPool& pool) {
  Value& value = std::get<Value>(record.value);
  const std::string start = tensor_name_start(record.head.sequence);
  name_tensors(value, start, record.head.name);
  SaveOptions options;
  options.precision = record.precision;
  options.limits = limits;
  schema::ItemBlock tensors;
  schema::Written written = schema::write_item(value, record.head.name, tensors, options);
  prepared.frame.schema = std::move(written.text);
  // By descending alignment, so that no gaps are needed.
  for (const std::size_t wanted : {8U, 4U, 2U, 1U})
    for (const safetensors::Item& item : tensors) {
      if (alignment(item.dtype) != wanted) continue;
      // Keys of dicts are not renamed, so their tensors could have the same names as another
      // record's.
      if (!item.name.starts_with(start))
        throw at_tensor(Error(ErrorCode::invalid_argument,
                              "a key of a dict that holds a tensor cannot be recorded",
                              {.advice = "Record the tensor as a value"}),
                        record,
                        [&](const Value& node) { return !node.tensor_name().starts_with(start); });
      try {
        add_tensor(prepared, *item.tensor, item.dtype, std::string(item.name), limits, pool);
      } catch (const Error& error) {
        throw at_tensor(error, record,
                        [&](const Value& node) { return node.tensor().rank() > limits.rank; });
      }
    }
}

}  // namespace

std::optional<PreparedRow> prepare_row(CapturedRecord& record, const Limits& limits,
                                       BufferPool& pool) {
  Tensor* const tensor = std::get_if<Tensor>(&record.value);
  if (tensor == nullptr) return std::nullopt;
  const DType own = tensor->dtype();
  const DType stored = record.precision.stored(own);
  const Shape& shape = tensor->shape();
  if (shape.size() > limits.rank || !may_be_row(stored, shape, byte_size(stored, shape)))
    return std::nullopt;
  if (own != stored || !tensor->is_contiguous()) *tensor = converted(*tensor, stored, pool);
  const std::uint64_t of_name = SegmentHeader::cost_of_name(record.head.name);
  return PreparedRow{.head = &record.head,
                     .tensor = tensor,
                     .own_dtype = own,
                     .cost = SegmentHeader::cost_of_tensor(of_name, shape.size()),
                     .cost_of_name = of_name};
}

PreparedRecord prepare(CapturedRecord record, const Limits& limits, BufferPool& pool) {
  PreparedRecord prepared;
  prepared.frame.head = record.head;
  if (const Tensor* const tensor = std::get_if<Tensor>(&record.value)) {
    prepared.frame.own_dtype = tensor->dtype();
    try {
      add_tensor(prepared, *tensor, record.precision.stored(tensor->dtype()), {}, limits, pool);
    } catch (const Error& error) {
      throw error.with_path(path_of(record.head));
    }
  } else {
    add_structure(prepared, record, limits, pool);
  }
  prepared.cost = SegmentHeader::cost(prepared.frame);
  return prepared;
}

}  // namespace safestructures::inline v0::recording
