// How a record that names its fields spells tensors and parameters.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "formats/burn/named_reader.hpp"
#include "formats/burn/tensor_data.hpp"

namespace safestructures::inline v0::burn {
namespace {

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
