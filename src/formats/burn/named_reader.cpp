#include "formats/burn/named_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/decoder.hpp>
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

bool has_members(const Value& map, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(names,
                             [&](std::string_view name) { return map.find(name) != nullptr; });
}

/// Returns the type that the dtype of a tensor gives: its name and, for booleans, how they are
/// stored.
std::optional<StoredType> type_of(const Value& dtype) {
  if (dtype.kind() == Kind::string) return stored_type(dtype.as_string());
  if (dtype.kind() != Kind::dict || dtype.size() != 1) return std::nullopt;
  const Entry& entry = dtype.entries().front();
  if (entry.key.as_string() != "Bool" || entry.value.kind() != Kind::string) return std::nullopt;
  return stored_type("Bool", entry.value.as_string());
}

/// Returns the value in place of a dtype, for messages.
std::string dtype_text(const Value& dtype) {
  if (dtype.kind() != Kind::dict || dtype.size() != 1) return safestructures::describe(dtype);
  const Entry& entry = dtype.entries().front();
  return entry.key.key_label() + " of " + safestructures::describe(entry.value);
}

bool is_quantized(const Value& dtype) {
  return dtype.kind() == Kind::dict && dtype.size() == 1 && dtype.find(quantized_name) != nullptr;
}

bool is_in(const Value& item, std::uint64_t most) {
  const std::optional<std::uint64_t> number =
      item.kind() == Kind::integer ? item.as_uint64() : std::nullopt;
  return number && *number <= most;
}

/// Refuses a map that has all parts of a tensor but its bytes, and would load as a dict of numbers.
/// \param shape a list
void check_damage(const Value& map, const Value& shape) {
  const Value* const bytes = map.find(bytes_name);
  const Value* const dtype = map.find(dtype_name);
  if (map.size() != 3 || bytes == nullptr || dtype == nullptr) return;
  if (!type_of(*dtype) && !is_quantized(*dtype)) return;
  for (const Value& item : shape.items())
    if (!is_in(item, UINT64_MAX)) return;
  std::string found = safestructures::describe(*bytes);
  if (bytes->kind() == Kind::list) {
    const std::span<const Value> items = bytes->items();
    const auto bad =
        std::ranges::find_if(items, [](const Value& item) { return !is_in(item, 0xFF); });
    if (bad != items.end())
      found = safestructures::describe(*bad) + " at index " + std::to_string(bad - items.begin());
  }
  throw Error(ErrorCode::invalid_header, "a tensor's bytes hold something that is not a byte",
              {.expected = "integers from 0 to 255",
               .found = std::move(found),
               .advice = "The file is damaged: copy it again, or save it again"});
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

std::optional<Value> NamedReader::tensor(Value& map, const Elements& elements, const Trace* trace) {
  if (map.size() == 2 && has_members(map, {id_name, param_name})) {
    const std::size_t id_entry = map.entries().front().key.as_string() == id_name ? 0 : 1;
    Value& id = map.entry_value(id_entry);
    Value& param = map.entry_value(1 - id_entry);
    const bool is_tensor = param.kind() == Kind::tensor || param.type_name() == quantized_type;
    // If there is a parameter in it, which has an id already, this is a struct with such names.
    const Value* const own = param.attribute(attributes::burn_id);
    const bool has_own = own != nullptr && !own->is_none();
    if (!is_tensor || has_own || id.kind() != Kind::string) return std::nullopt;
    param.set_attribute(attributes::burn_id, std::move(id));
    return std::move(param);
  }
  const Value* shape = map.find(shape_name);
  if (shape == nullptr || shape->kind() != Kind::list) return std::nullopt;
  try {
    if (elements.entry == Elements::none) {
      if (!is_old_) check_damage(map, *shape);
      return std::nullopt;
    }
    if (!is_old_) {
      const Value* const dtype = map.find(dtype_name);
      const bool names_dtype =
          dtype != nullptr &&
          (dtype->kind() == Kind::string || (dtype->kind() == Kind::dict && dtype->size() == 1));
      if (map.size() != 3 || !names_dtype) return std::nullopt;
      count_tensor(trace);
      return new_tensor(map, shape_of(*shape, trace), elements, trace);
    }
    if (map.size() != 2) return std::nullopt;
    count_tensor(trace);
    Value result(old_tensor(map.entry_value(elements.entry).tensor(), shape_of(*shape, trace)));
    result.set_attribute(attributes::burn_id, Value());
    return result;
  } catch (const Error& error) {
    throw error.with_path(to_string(trace));
  }
}

Shape NamedReader::shape_of(const Value& list, const Trace* trace) const {
  if (list.size() > options_.limits.rank)
    throw detail::past(detail::Limit::rank, options_.limits.rank,
                       {.path = to_string(trace), .found = std::to_string(list.size())});
  std::vector<std::uint64_t> sizes;
  for (const Value& item : list.items()) {
    const std::optional<std::uint64_t> size =
        item.kind() == Kind::integer ? item.as_uint64() : std::nullopt;
    if (!size)
      throw Error(ErrorCode::invalid_shape, "a shape holds something that is not a size",
                  {.expected = "an integer, 0 or larger", .found = safestructures::describe(item)});
    sizes.push_back(*size);
  }
  return Shape(std::span<const std::uint64_t>(sizes));
}

Value NamedReader::new_tensor(const Value& map, Shape shape, const Elements& elements,
                              const Trace* trace) const {
  const Value& dtype = *map.find(dtype_name);
  if (is_quantized(dtype)) {
    Value payload = map;
    payload.entry_value(elements.entry) =
        elements.range ? bytes_at(*elements.range, trace)
                       : Value::bytes(map.entries()[elements.entry].value.tensor());
    Value result = Value::custom(std::string(quantized_type), std::move(payload));
    result.set_attribute(attributes::burn_id, Value());
    return result;
  }
  const std::optional<StoredType> type = type_of(dtype);
  if (!type)
    throw Error(ErrorCode::unknown_dtype, "a tensor has an unknown dtype",
                {.expected = "a dtype of Burn", .found = dtype_text(dtype)});
  Value result(elements.range
                   ? tensor_in(source_, elements.range->offset, elements.range->size, *type,
                               std::move(shape), options_.access == Access::map, trace)
                   : viewed(map.entries()[elements.entry].value.tensor(), *type, std::move(shape)));
  result.set_attribute(attributes::burn_id, Value());
  return result;
}

Tensor NamedReader::old_tensor(const Tensor& numbers, Shape shape) const {
  const DType dtype = numbers.dtype();
  if (dtype == DType::I64 && metadata_.is_half()) {
    // The bits of floats, or integers: files do not say which, but bits are never negative.
    const std::span<const std::int64_t> integers = numbers.data<std::int64_t>();
    const bool is_signed =
        std::ranges::any_of(integers, [](std::int64_t item) { return item < 0; });
    const DType stored = is_signed ? DType::I16 : DType::U16;
    return viewed(numbers.to(stored), {is_signed ? DType::I16 : DType::F16, 2}, std::move(shape));
  }
  DType wanted = dtype;
  if (dtype == DType::I64) {
    const std::optional<DType> integer = dtype_of_rust(metadata_.int_type);
    if (integer && is_integer(*integer)) wanted = *integer;
  } else if (dtype == DType::F64 && metadata_.float_type == "f32") {
    wanted = DType::F32;
  }
  return viewed(numbers.to(wanted, options_.overflow), {wanted, bit_width(wanted) / 8},
                std::move(shape));
}

}  // namespace safestructures::inline v0::burn
