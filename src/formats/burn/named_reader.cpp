#include "formats/burn/named_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "formats/burn/tensor_data.hpp"

namespace safestructures::inline v0::burn {
namespace {

/// Returns packed numbers as a list. \param others as in `Numbers`
Value unpacked(const Tensor& numbers, const std::vector<bool>& others) {
  Value list = Value::list();
  list.reserve(static_cast<std::size_t>(numbers.size()));
  for (const bool is_other : others) {
    const double number = numbers.data<double>()[list.size()];
    if (!is_other) list.push_back(Value(number));
    else list.push_back(std::isnan(number) ? Value() : Value(static_cast<std::int64_t>(number)));
  }
  const auto add = [&](const auto& items) {
    for (const auto item : items) list.push_back(Value(item));
  };
  switch (numbers.dtype()) {
    case DType::BOOL: add(numbers.data<bool>()); break;
    case DType::U8: add(numbers.data<std::uint8_t>()); break;
    case DType::I64: add(numbers.data<std::int64_t>()); break;
    case DType::F32: add(numbers.data<float>()); break;
    default: add(numbers.data<double>().subspan(list.size()));
  }
  return list;
}

}  // namespace

void NamedReader::fail(ErrorCode code, std::string problem, ErrorDetails details) const {
  details.offset = input_.offset();
  throw Error(code, std::move(problem), std::move(details));
}

void NamedReader::expect(Token token, std::string_view what) const {
  if (input_.token() == token) return;
  fail(ErrorCode::invalid_header, "the file is not a record of Burn",
       {.expected = std::string(what), .found = std::string(describe(input_.token()))});
}

template <class Read>
void NamedReader::members(const Read& read) {
  input_.next();
  expect(Token::map, "a map with metadata and item");
  std::set<std::string, std::less<>> known;
  while (input_.next() == Token::name) {
    const std::string name(input_.string());
    if (!known.insert(name).second)
      fail(ErrorCode::duplicate_name, "a record contains a member twice",
           {.found = "'" + name + "'"});
    input_.next();
    if (read(name)) return;
  }
  expect(Token::map_end, "the end of the record");
  input_.next();
  expect(Token::end, "the end of the file");
}

RecordMetadata NamedReader::metadata() {
  RecordMetadata metadata;
  bool is_found = false;
  members([&](std::string_view name) {
    if (name != metadata_name) {
      input_.skip();
      return false;
    }
    expect(Token::map, "a map of metadata");
    std::set<std::string, std::less<>> known;
    while (input_.next() == Token::name) {
      const std::string key(input_.string());
      if (!known.insert(key).second)
        fail(ErrorCode::duplicate_name, "the metadata of a record contain a key twice",
             {.found = "'" + key + "'"});
      const auto* const field =
          std::ranges::find(RecordMetadata::fields, key,
                            &std::pair<std::string_view, std::string RecordMetadata::*>::first);
      input_.next();
      if (field == RecordMetadata::fields.end()) {
        input_.skip();
        continue;
      }
      expect(Token::string, "a text for '" + key + "'");
      metadata.*field->second = input_.string();
    }
    return is_found = true;
  });
  if (!is_found)
    fail(ErrorCode::invalid_header, "the file is not a record of Burn",
         {.expected = "'metadata' in its map", .found = "none"});
  return metadata;
}

Value NamedReader::item(const RecordMetadata& metadata) {
  metadata_ = metadata;
  is_old_ = version_of(metadata) < since::tensor_data;
  std::optional<Value> item;
  members([&](std::string_view name) {
    if (name == item_name) item = value(nullptr);
    else input_.skip();
    return false;
  });
  if (!item)
    fail(ErrorCode::invalid_header, "the file is not a record of Burn",
         {.expected = "'item' in its map", .found = "none"});
  return *std::move(item);
}

Value NamedReader::value_at(const Trace& trace) {
  try {
    const detail::Descent level(depth_, options_.limits.depth, &trace);
    return value(&trace);
  } catch (const Error& error) {
    throw error.with_path(to_string(&trace));
  }
}

void NamedReader::count_nodes(std::uint64_t count, const Trace* trace) {
  if (count > options_.limits.nodes - nodes_)
    throw detail::past(detail::Limit::nodes, options_.limits.nodes,
                       {.path = to_string(trace), .offset = input_.offset()});
  nodes_ += count;
}

void NamedReader::count_tensor(const Trace* trace) {
  if (tensors_ >= options_.limits.tensors)
    throw detail::past(detail::Limit::tensors, options_.limits.tensors,
                       {.path = to_string(trace), .offset = input_.offset()});
  ++tensors_;
}

Value NamedReader::value(const Trace* trace) {
  count_nodes(1, trace);
  switch (input_.token()) {
    case Token::null: return {};
    case Token::boolean: return input_.boolean();
    case Token::number: return input_.number();
    case Token::string: return Value(std::string(input_.string()));
    case Token::bytes: {
      const ByteRange range = input_.bytes();
      return bytes_at(range, trace);
    }
    case Token::array: return list(trace);
    case Token::map: return map(trace);
    default: break;
  }
  fail(ErrorCode::invalid_header, "the file is not a record of Burn",
       {.expected = "a value", .found = std::string(describe(input_.token()))});
}

Value NamedReader::bytes_at(ByteRange range, const Trace* trace) const {
  return Value::bytes(tensor_in(source_, range.offset, range.size, {DType::U8, 1},
                                Shape{range.size}, options_.access == Access::map, trace));
}

Value NamedReader::list(const Trace* trace) {
  Value list = Value::list();
  while (input_.next() != Token::array_end) list.push_back(value_at(Trace{trace, {}, list.size()}));
  return list;
}

Value NamedReader::member(std::string_view name, const Trace& trace, std::size_t index,
                          Elements& elements) {
  const bool is_data = name == (is_old_ ? value_name : bytes_name);
  if (is_data && !is_old_ && input_.token() == Token::bytes) {
    count_nodes(1, &trace);
    elements.range = input_.bytes();
    elements.entry = index;
    return {};
  }
  if (is_data && input_.token() == Token::array) {
    std::optional<Numbers> numbers = input_.numbers(is_old_ ? Expected::numbers : Expected::bytes);
    if (numbers) {
      count_nodes(1, &trace);
      elements.entry = index;
      elements.others = std::move(numbers->others);
      const StoredType type{numbers->dtype, bit_width(numbers->dtype) / 8};
      return Value(tensor_of(std::move(numbers->bytes), type, Shape{numbers->count}));
    }
  }
  return value_at(trace);
}

std::optional<Value> NamedReader::tensor_at_once(const Trace* trace) {
  // Counts as many levels and nodes as reading token by token: the sizes of a parameter's shape are
  // this deep.
  constexpr std::uint32_t levels = 3;
  if (is_old_ || options_.limits.depth - depth_ < levels) return std::nullopt;
  std::optional<TensorData> data = input_.tensor_data();
  if (!data) return std::nullopt;
  const Trace step{trace, param_name};
  if (data->id) trace = &step;
  count_nodes((data->id ? 2U : 0U) + 3 + data->shape.size(), trace);
  count_tensor(trace);
  if (data->shape.size() > options_.limits.rank)
    throw detail::past(detail::Limit::rank, options_.limits.rank,
                       {.path = to_string(trace), .found = std::to_string(data->shape.size())});
  try {
    Value result(tensor_in(source_, data->bytes.offset, data->bytes.size, data->type,
                           std::move(data->shape), options_.access == Access::map, trace));
    result.set_attribute(attributes::burn_id, data->id ? Value(*std::move(data->id)) : Value());
    return result;
  } catch (const Error& error) {
    throw error.with_path(to_string(trace));
  }
}

Value NamedReader::map(const Trace* trace) {
  if (std::optional<Value> found = tensor_at_once(trace)) return *std::move(found);
  Value map = Value::dict();
  Elements elements;
  while (input_.next() == Token::name) {
    const std::string name(input_.string());
    const Trace step{trace, name};
    if (map.find(name) != nullptr)
      throw Error(ErrorCode::duplicate_name, "a map contains a key twice",
                  {.path = to_string(&step), .offset = input_.offset()});
    input_.next();
    map.insert(Value(name), member(name, step, map.size(), elements));
  }
  if (std::optional<Value> found = tensor(map, elements, trace)) return *std::move(found);
  if (elements.range) {
    map.entry_value(elements.entry) = bytes_at(*elements.range, trace);
  } else if (elements.entry != Elements::none) {
    Value& numbers = map.entry_value(elements.entry);
    count_nodes(numbers.tensor().size(), trace);
    numbers = unpacked(numbers.tensor(), elements.others);
  }
  return map;
}

}  // namespace safestructures::inline v0::burn
