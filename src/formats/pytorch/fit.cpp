#include "formats/pytorch/fit.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/limit.hpp"
#include "formats/structure_of_names.hpp"

namespace safestructures::inline v0::pytorch {
namespace {

bool has_levels(const Value& state_dict) {
  return std::ranges::any_of(state_dict.entries(), [](const Entry& entry) {
    return entry.key.as_string().find('.') != std::string::npos;
  });
}

class Fitting {
 public:
  explicit Fitting(const Limits& limits) : limits_(limits) {}

  bool fit(Value& value, const TypeInfo& type) {
    const detail::Descent level(depth_, limits_.depth, nullptr);
    switch (type.kind) {
      case TypeKind::optional:
      case TypeKind::pointer: return fit(value, *type.item);
      case TypeKind::list: return items(value, type);
      case TypeKind::tuple: return items(value, type);
      case TypeKind::dict: return type.fields.empty() ? entries(value, type) : fields(value, type);
      case TypeKind::structure: return fields(value, type);
      default: return false;
    }
  }

 private:
  bool items(Value& value, const TypeInfo& type) {
    if (!value.is_sequence()) return false;
    bool is_changed = false;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const TypeInfo* const item = type.kind == TypeKind::list ? type.item
                                   : i < type.items.size()     ? type.items[i]
                                                               : nullptr;
      if (item != nullptr) is_changed |= fit(value.items()[i], *item);
    }
    return is_changed;
  }
  bool entries(Value& value, const TypeInfo& type) {
    if (!value.is_mapping() || type.item == nullptr) return false;
    bool is_changed = false;
    for (std::size_t i = 0; i < value.size(); ++i)
      is_changed |= fit(value.entry_value(i), *type.item);
    return is_changed;
  }
  bool fields(Value& value, const TypeInfo& type) {
    if (!value.is_mapping()) return false;
    if (is_state_dict(value) && has_levels(value)) {
      value = structure_of(value, limits_);
      return true;
    }
    bool is_changed = false;
    for (const TypeField& field : type.fields) {
      Value* found = value.find(field.name);
      for (auto alias = field.aliases.begin(); found == nullptr && alias != field.aliases.end();
           ++alias)
        found = value.find(*alias);
      if (found != nullptr) is_changed |= fit(*found, *field.type);
    }
    return is_changed;
  }

  const Limits& limits_;
  std::uint32_t depth_ = 0;
};

}  // namespace

bool is_state_dict(const Value& value) {
  return value.kind() == Kind::dict && value.size() > 0 &&
         std::ranges::all_of(value.entries(), [](const Entry& entry) {
           return entry.key.kind() == Kind::string && entry.value.kind() == Kind::tensor;
         });
}

Value structure_of(const Value& state_dict, const Limits& limits) {
  const std::vector<Entry>& entries = state_dict.entries();
  return structure_of_names(
      {.count = entries.size(),
       .name = [&](std::size_t index) { return std::string_view(entries[index].key.as_string()); },
       .value =
           [&](std::size_t index) {
             Value tensor = entries[index].value;
             tensor.set_tensor_name(entries[index].key.as_string());
             return tensor;
           }},
      limits);
}

bool fit(Value& value, const TypeInfo& type, const Limits& limits) {
  return Fitting(limits).fit(value, type);
}

}  // namespace safestructures::inline v0::pytorch
