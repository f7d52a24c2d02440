#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/type_info.hpp>
#include "formats/burn/modules.hpp"
#include "formats/burn/writer.hpp"

namespace safestructures::inline v0::burn {
namespace {

/// Whether a value is the variant that versions without the field imply.
bool is_implied(const Value& value, const ModuleField& field) {
  return !field.implied.empty() && value.kind() == Kind::dict && value.size() == 1 &&
         value.find(field.implied) != nullptr;
}

/// Returns what holds the fields of a module that was loaded from a version in which it held
/// another; null for others.
const Value* inner_in(const Value& module, std::string_view name) {
  constexpr Version oldest = 0;
  const std::string_view inner = inner_of(name, oldest);
  if (inner.empty() || module.size() != 1) return nullptr;
  const Value* const found = module.find(inner);
  return found != nullptr && found->is_mapping() ? found : nullptr;
}

}  // namespace

void Writer::refuse_lost(const Value& module, std::string_view name, const Trace* trace) const {
  const std::span<const ModuleField> fields = fields_of(name);
  for (const Entry& entry : module.entries()) {
    if (is_nothing(entry.value)) continue;
    const bool is_text = entry.key.kind() == Kind::string;
    bool is_known = false;
    bool is_kept = false;
    for (const ModuleField& field : fields) {
      if (!is_text || field.role != Role::member || field.name != entry.key.as_string()) continue;
      is_known = true;
      is_kept |= field.is_in(version_) || is_implied(entry.value, field);
    }
    if (is_kept) continue;
    const std::string label = entry.key.key_label();
    const Trace step{trace, label};
    fail(ErrorCode::unknown_field, &step,
         is_known ? "this version of Burn does not have a field of the module"
                  : "a module of Burn does not have a member of the structure",
         {.expected = is_known ? "none" : "the members of '" + std::string(name) + "'",
          .found = describe(entry.value),
          .advice = is_known ? "Write for a newer version (burn::Options::burn_version)"
                             : "Erase it, or give the structure another name"});
  }
}

void Writer::constant(std::size_t count, std::uint32_t level, const Trace* trace) {
  const bool has_items = count > 0 && version_ < since::one_constant;
  count_parts(level + (has_items ? count : 0), level + (has_items ? 1U : 0U), trace);
  out_.constant(count);
}

void Writer::module(const Value& whole, const TypeInfo* type, std::string_view name,
                    const Trace* trace) {
  const Value* const held = inner_in(whole, name);
  const Value& item = held != nullptr ? *held : whole;
  const std::string_view inner = inner_of(name, version_);
  if (!inner.empty()) {
    count_parts(1, 1, trace);
    if (out_.is_named()) ++depth_;
    out_.begin_struct(1);
    out_.name(inner);
  }
  const std::span<const ModuleField> fields = fields_of(name);
  refuse_lost(item, name, trace);
  out_.begin_struct(static_cast<std::size_t>(std::ranges::count_if(
      fields, [&](const ModuleField& field) { return field.is_in(version_); })));
  for (const ModuleField& field : fields) {
    if (!field.is_in(version_)) continue;
    out_.name(field.name);
    if (field.role == Role::constant) {
      constant(field.count, 1, trace);
      continue;
    }
    if (field.role == Role::optional_constant) {
      count_parts(1, 1, trace);
      out_.option(false);
      continue;
    }
    const Trace step{trace, field.name};
    const Value* const member = item.find(field.name);
    const TypeInfo* of_member = nullptr;
    if (type != nullptr)
      for (const TypeField& one : type->fields)
        if (one.name == field.name) of_member = one.type;
    if (version_ < field.optional_from) {
      if (member == nullptr || member->is_none())
        fail(ErrorCode::missing_field, &step, "this version of Burn needs a field",
             {.expected = "a tensor",
              .found = "none",
              .advice = "Write for a newer version (burn::Options::burn_version)"});
      if (of_member != nullptr && of_member->kind == TypeKind::optional)
        of_member = of_member->item;
    }
    // A loaded structure lacks the fields that its version did not have.
    if (!field.implied.empty() && (member == nullptr || member->is_none())) {
      Value implied = Value::dict();
      implied.insert(Value(field.implied), Value());
      value_at(implied, of_member, step);
    } else if (member != nullptr) {
      value_at(*member, of_member, step);
    } else {
      count_parts(1, 1, trace);
      out_.option(false);
    }
  }
  out_.end_struct();
  if (inner.empty()) return;
  out_.end_struct();
  if (out_.is_named()) --depth_;
}

}  // namespace safestructures::inline v0::burn
