#include "formats/burn/record_tensors.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_set>
#include <vector>

#include <safestructures/data/walk.hpp>
#include "data/children.hpp"
#include "formats/stored_dtype.hpp"
#include "formats/tensor_names.hpp"

namespace safestructures::inline v0::burn {
namespace {

template <class Visit>
void for_each_tensor(const Value& root, const Visit& visit) {
  std::vector<const Value*> open = {&root};
  while (!open.empty()) {
    const Value& value = *open.back();
    open.pop_back();
    if (value.has_tensor()) visit(value);
    for (std::size_t i = detail::count_of_children(value); i-- > 0;)
      open.push_back(&detail::child_of(value, i));
  }
}

/// Whether a part of the type may be a Value, or is made from one by a codec that does not say how.
bool has_values(const TypeInfo& type) {
  std::vector<const TypeInfo*> open = {&type};
  std::unordered_set<const TypeInfo*> seen = {&type};
  const auto add = [&](const TypeInfo* part) {
    if (part != nullptr && seen.insert(part).second) open.push_back(part);
  };
  while (!open.empty()) {
    const TypeInfo& one = *open.back();
    open.pop_back();
    if (one.kind == TypeKind::any || one.is_polymorphic) return true;
    add(one.item);
    add(one.key);
    for (const TypeInfo* item : one.items) add(item);
    for (const TypeField& field : one.fields) add(field.type);
  }
  return false;
}

}  // namespace

void enter_tensors(Content& content, const TypeInfo* type) {
  for_each_tensor(content.root, [&](const Value& value) {
    ++content.tensor_count;
    content.tensor_bytes += value.tensor().byte_size();
  });
  if (type != nullptr && !has_values(*type)) return;
  detail::NamedTensors names;
  walk(content.root, [&](Value& value, const Place& place) {
    if (!value.has_tensor()) return Next::into;
    value.set_tensor_name(
        names.enter_distinct(detail::place_name(place), value.tensor(), value.tensor().dtype()));
    return Next::into;
  });
}

std::optional<DType> common_float(const Value& item) {
  std::optional<DType> common;
  bool is_one = true;
  for_each_tensor(item, [&](const Value& value) {
    const DType dtype = value.tensor().dtype();
    if (!is_floating(dtype)) return;
    is_one = is_one && common.value_or(dtype) == dtype;
    common = dtype;
  });
  return is_one ? common : std::nullopt;
}

std::uint64_t float_bytes(const Value& item, const Precision& precision) {
  const detail::StoredDTypes dtypes(precision);
  std::uint64_t bytes = 0;
  for_each_tensor(item, [&](const Value& value) {
    const DType dtype = dtypes.of(value);
    // A C++ sequence keeps its width, whatever the precision.
    if (dtype == DType::F32 || dtype == DType::F64)
      bytes += std::min(byte_size(dtype, value.tensor().shape()), value.tensor().byte_size());
  });
  return bytes;
}

}  // namespace safestructures::inline v0::burn
