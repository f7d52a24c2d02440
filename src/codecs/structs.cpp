#include <safestructures/codecs/structs.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <safestructures/data/error.hpp>
#include "data/box.hpp"
#include "data/text/nearest_name.hpp"

namespace safestructures::inline v0::detail {
namespace {

std::string struct_text(const StructLayout& layout) {
  return "struct " + std::string(layout.class_name);
}

unsigned version_of(const Value& value, const StructLayout& layout, const Decoder& decoder) {
  const Value* attribute = value.attribute(attributes::class_version);
  if (attribute == nullptr) return 0;
  if (attribute->kind() != Kind::integer || !attribute->as_uint64())
    decoder.fail(ErrorCode::invalid_schema, "a class version is not a number",
                 {.expected = "an int, 0 or larger, in the attribute \"class_version\"",
                  .found = describe(*attribute)});
  if (*attribute->as_uint64() > layout.version)
    decoder.fail(
        ErrorCode::unsupported_version, struct_text(layout) + " is of a newer version",
        {.expected = "class version " + std::to_string(layout.version) + " or older",
         .found = "class version " + attribute->integer_text(),
         .advice = "Load it with the newer program that wrote it, or a newer version of this one"});
  return static_cast<unsigned>(*attribute->as_uint64());
}

std::vector<std::string_view> names_in(const Value& value) {
  std::vector<std::string_view> names;
  for (const Entry& entry : value.entries())
    if (entry.key.kind() == Kind::string) names.push_back(entry.key.as_string());
  return names;
}

bool is_read_from(const FieldInfo& field, std::string_view name) {
  return !field.is_skipped && field.answers_to(name);
}

}  // namespace

StructReader::StructReader(const Value& value, const StructLayout& layout, const Decoder& decoder)
    : layout_(layout), decoder_(decoder), value_(&value) {
  if (value.kind() == Kind::custom && value.payload().is_mapping()) value_ = &value.payload();
  if (!value_->is_mapping()) decoder.mismatch(struct_text(layout) + " or dict", value);
  const unsigned version = version_of(*value_, layout, decoder);
  if (version < layout.version && layout.migrate != nullptr) migrate(version);
  if (decoder.refuse_unknown_fields()) refuse_unknown();
}

StructReader::~StructReader() = default;

void StructReader::migrate(unsigned from_version) {
  migrated_ = std::make_unique<Value>(*value_);
  try {
    layout_.migrate(*migrated_, from_version);
  } catch (...) {
    decoder_.rethrow(layout_.class_name);
  }
  value_ = migrated_.get();
  if (!value_->is_mapping())
    decoder_.mismatch(struct_text(layout_) + " or dict from its migration", *value_);
}

void StructReader::refuse_unknown() const {
  for (const Entry& entry : value_->entries()) {
    const auto is_known = [&](const FieldInfo& field) {
      return entry.key.kind() == Kind::string && is_read_from(field, entry.key.as_string());
    };
    if (std::ranges::any_of(layout_.fields, is_known)) continue;
    std::vector<std::string_view> names;
    for (const FieldInfo& field : layout_.fields)
      if (!field.is_skipped) names.push_back(field.file_name);
    const std::string found = entry.key.key_label();
    const auto nearest = nearest_name(found, names);
    decoder_.fail(ErrorCode::unknown_field, struct_text(layout_) + " has no such field",
                  {.expected = names.empty() ? "no field" : list_names(names),
                   .found = list_names({{found}}),
                   .advice = nearest ? "Perhaps '" + std::string(*nearest) + "' is meant"
                                     : "Set refuse_unknown_fields to false to ignore it"});
  }
}

const Value* StructReader::find(std::size_t field) const noexcept {
  const FieldInfo& info = layout_.fields[field];
  // Usually the fields are in the order of the struct.
  const std::vector<Entry>& entries = Box::entries(*value_);
  if (field < entries.size() && entries[field].key.kind() == Kind::string &&
      Box::string(entries[field].key) == info.file_name)
    return &entries[field].value;
  if (const Value* found = value_->find(info.file_name)) return found;
  for (const std::string_view alias : info.aliases())
    if (const Value* found = value_->find(alias)) return found;
  return nullptr;
}

const Value& StructReader::require(std::size_t field) const {
  if (const Value* found = find(field)) return *found;
  const std::string name(layout_.fields[field].file_name);
  const std::vector<std::string_view> names = names_in(*value_);
  std::vector<std::string_view> unclaimed = names;
  std::erase_if(unclaimed, [&](std::string_view other) {
    return std::ranges::any_of(layout_.fields,
                               [&](const FieldInfo& info) { return is_read_from(info, other); });
  });
  const auto nearest = nearest_name(name, unclaimed);
  decoder_.fail(
      ErrorCode::missing_field, struct_text(layout_) + " lacks a field",
      {.expected = "'" + name + "'",
       .found = names.empty() ? "no field" : list_names(names),
       .advice = nearest ? "If '" + std::string(*nearest) + "' is meant, give '" + name +
                               "' that alias in Rules<" + std::string(layout_.class_name) + ">"
                         : "If it may be missing, make it a std::optional or give it a rule "
                           "optional() in Rules<" +
                               std::string(layout_.class_name) + ">"});
}

void describe_struct(TypeDescriber& type, const StructLayout& layout,
                     std::span<const FieldCodec> fields) {
  type.structure(layout.class_name, layout.version);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldInfo& info = layout.fields[i];
    if (info.is_skipped) continue;
    type.field(info.file_name, *fields[i].type,
               {.cpp_name = info.name,
                .aliases = info.aliases(),
                .is_optional = fields[i].is_optional || info.is_optional,
                .has_default = info.is_optional});
  }
}

Value encode_struct(const StructLayout& layout, std::span<const EncodeField> encoders,
                    std::span<const void* const> addresses, Encoder& encoder) {
  Value value = make_struct(layout.class_name, layout.version, encoders.size());
  for (std::size_t i = 0; i < encoders.size(); ++i) {
    if (encoders[i] == nullptr) continue;
    const std::string_view name = layout.fields[i].file_name;
    Value field = encoder.encode_at(name, addresses[i], encoders[i]);
    insert_entry(value, encoder.name(name), std::move(field));
  }
  return value;
}

Value make_struct(std::string_view class_name, unsigned version, std::size_t fields) {
  Value value = Value::structure(std::string(class_name));
  value.reserve(fields);
  if (version > 0) value.set_attribute(attributes::class_version, Value(version));
  return value;
}

}  // namespace safestructures::inline v0::detail
