#include "formats/burn/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/formats/burn_marks.hpp>
#include "data/limit.hpp"
#include "data/text/utf8.hpp"
#include "formats/burn/attributes.hpp"
#include "formats/burn/modules.hpp"

namespace safestructures::inline v0::burn {
namespace {

/// Returns the bits of a half-precision number of a struct.
Value bits_of(double number, DType dtype, Overflow overflow) {
  std::uint16_t bits = 0;
  const std::span<std::byte> room = std::as_writable_bytes(std::span(&bits, 1));
  convert_elements(DType::F64, std::as_bytes(std::span(&number, 1)), dtype, room, 1, overflow);
  return Value(bits);
}

float single_of(double number, Overflow overflow) {
  float single = 0;
  convert_elements(DType::F64, std::as_bytes(std::span(&number, 1)), DType::F32,
                   std::as_writable_bytes(std::span(&single, 1)), 1, overflow);
  return single;
}

/// Whether an integer is one of that type; it may come from a Value that was made for another.
bool fits(const Value& value, IntegerType type) {
  const unsigned spare = 64 - type.bits;
  if (!type.is_signed) {
    const std::optional<std::uint64_t> number = value.as_uint64();
    return number && *number <= std::numeric_limits<std::uint64_t>::max() >> spare;
  }
  const std::optional<std::int64_t> number = value.as_int64();
  return number && *number >= std::numeric_limits<std::int64_t>::min() >> spare &&
         *number <= std::numeric_limits<std::int64_t>::max() >> spare;
}

/// Returns the member for a field, as codecs/structs.cpp finds it; null if there is none.
const Value* member_of(const Value& structure, const TypeField& field) {
  const Value* member = structure.find(field.name);
  for (std::size_t i = 0; member == nullptr && i < field.aliases.size(); ++i)
    member = structure.find(field.aliases[i]);
  return member;
}

/// Refuses half a surrogate pair: a Python str may hold one, but not a Rust string.
void check_utf8(std::string_view text, const Trace* trace) {
  if (detail::find_invalid_utf8(text))
    throw Error(ErrorCode::invalid_utf8, "a text is not UTF-8", {.path = to_string(trace)});
}

}  // namespace

bool is_nothing(const Value& value) {
  if (value.is_none()) return true;
  return value.is_sequence() && value.size() > 0 &&
         std::ranges::all_of(value.items(), [](const Value& item) { return item.is_none(); });
}

void Writer::fail(ErrorCode code, const Trace* trace, std::string problem, ErrorDetails details) {
  details.path = to_string(trace);
  throw Error(code, std::move(problem), std::move(details));
}

void Writer::mismatch(const TypeInfo& type, const Value& value, const Trace* trace) const {
  fail(ErrorCode::type_mismatch, trace, "a value does not fit its type",
       {.expected = to_string(type), .found = describe(value)});
}

void Writer::write(const RecordMetadata& metadata, const Value& item, const TypeInfo* type) {
  out_.begin_struct(3);
  out_.name(metadata_name);
  out_.begin_struct(RecordMetadata::fields.size());
  for (const auto& [name, field] : RecordMetadata::fields) {
    out_.name(name);
    out_.string(metadata.*field, nullptr);
  }
  out_.end_struct();
  out_.name(item_name);
  value(item, type, nullptr);
  out_.name(phantom_name);
  out_.phantom();
  out_.end_struct();
  out_.finish();
}

void Writer::value_at(const Value& item, const TypeInfo* type, const Trace& trace) {
  try {
    const detail::Descent level(depth_, options_.limits.depth, &trace);
    value(item, type, &trace);
  } catch (const Error& error) {
    throw error.with_path(to_string(&trace));
  }
}

void Writer::count_parts(std::uint64_t nodes, std::uint32_t levels, const Trace* trace) {
  if (!out_.is_named()) return;
  if (nodes > options_.limits.nodes - nodes_)
    throw detail::past(detail::Limit::nodes, options_.limits.nodes, {.path = to_string(trace)});
  nodes_ += nodes;
  if (levels > 0) detail::Descent::check(depth_ + levels - 1, options_.limits.depth, trace);
}

void Writer::value(const Value& item, const TypeInfo* type, const Trace* trace) {
  if (++nodes_ > options_.limits.nodes)
    throw detail::past(detail::Limit::nodes, options_.limits.nodes, {.path = to_string(trace)});
  check_attributes("a record of Burn", item, options_, trace);
  if (type != nullptr && type->kind != TypeKind::any) return typed(item, *type, trace);
  if (!out_.is_named())
    fail(
        ErrorCode::invalid_argument, trace, "bincode needs a C++ type that says what is saved",
        {.expected = "an object of structs, containers and scalars",
         .found = describe(item),
         .advice = "Save an object instead of a Value, name its type in SaveOptions::type, or save "
                   "as MessagePack (.mpk)"});
  natural(item, trace);
}

void Writer::natural(const Value& item, const Trace* trace) {
  switch (item.kind()) {
    case Kind::none: return out_.none();
    case Kind::boolean: return out_.boolean(item.as_bool());
    case Kind::integer:
      if (!item.as_int64() && !item.as_uint64())
        fail(ErrorCode::out_of_range, trace, "a record of Burn cannot hold an integer",
             {.expected = "one of 64 bits", .found = describe(item)});
      return out_.integer(item, {});
    case Kind::floating: return out_.floating(item.as_double(), DType::F64);
    case Kind::string: return text(item.as_string(), trace);
    case Kind::bytes: return raw_bytes(item.tensor(), false, trace);
    case Kind::list:
    case Kind::tuple:
    case Kind::set: return list(item, nullptr, trace);
    case Kind::dict: return dict(item, nullptr, trace);
    case Kind::structure: return record(item, nullptr, trace);
    case Kind::tensor:
    case Kind::custom: return tensor(item, nullptr, trace);
    case Kind::complex: break;
  }
  fail(ErrorCode::type_mismatch, trace, "a record of Burn cannot hold a complex number",
       {.expected = "a real number", .found = describe(item), .advice = "Save its two parts"});
}

void Writer::typed(const Value& item, const TypeInfo& type, const Trace* trace) {
  switch (type.kind) {
    case TypeKind::none:
      if (type.mark == constant_mark) return out_.constant(0);
      if (!is_nothing(item)) mismatch(type, item, trace);
      if (out_.is_named()) out_.none();
      return;
    case TypeKind::boolean:
      if (item.kind() != Kind::boolean) mismatch(type, item, trace);
      return out_.boolean(item.as_bool());
    case TypeKind::integer: return integer(item, type, trace);
    case TypeKind::floating: return floating(item, type, trace);
    case TypeKind::complex:
      if (item.kind() != Kind::complex) mismatch(type, item, trace);
      return natural(item, trace);
    case TypeKind::string:
      if (item.kind() != Kind::string) mismatch(type, item, trace);
      return text(item.as_string(), trace);
    case TypeKind::bytes:
      if (item.kind() != Kind::bytes || (type.size && item.tensor().size() != *type.size))
        mismatch(type, item, trace);
      return raw_bytes(item.tensor(), type.size.has_value(), trace);
    case TypeKind::list:
    case TypeKind::set: return list(item, &type, trace);
    case TypeKind::tuple: return tuple(item, type, trace);
    case TypeKind::dict:
      if (type.mark == enum_mark || type.mark == activation_mark) return variant(item, type, trace);
      return type.fields.empty() ? dict(item, &type, trace) : record(item, &type, trace);
    case TypeKind::structure: return record(item, &type, trace);
    case TypeKind::tensor: return tensor_like(item, type, trace);
    case TypeKind::enumeration: return enumerator(item, type, trace);
    case TypeKind::optional:
    case TypeKind::pointer: return optional(item, type, trace);
    case TypeKind::variant:
      fail(ErrorCode::invalid_argument, trace,
           "a record of Burn names its variants, and std::variant does not",
           {.expected = "burn::Enum<burn::Case<\"Name\", T>, ...>", .found = to_string(type)});
    default: break;
  }
  fail(ErrorCode::invalid_argument, trace, "a record of Burn cannot hold this type",
       {.expected = "structs, sequences, maps, tensors and scalars", .found = to_string(type)});
}

void Writer::text(std::string_view text, const Trace* trace) {
  check_utf8(text, trace);
  out_.string(text, trace);
}

void Writer::integer(const Value& item, const TypeInfo& type, const Trace* trace) {
  const IntegerType integer{type.bits, type.is_signed};
  if (item.kind() != Kind::integer) mismatch(type, item, trace);
  if (!fits(item, integer))
    fail(ErrorCode::out_of_range, trace, "an integer does not fit its type",
         {.expected = to_string(type), .found = item.integer_text()});
  out_.integer(item, integer);
}

void Writer::floating(const Value& item, const TypeInfo& type, const Trace* trace) {
  if (item.kind() != Kind::floating) mismatch(type, item, trace);
  const DType dtype = type.dtype.value_or(DType::F64);
  if (dtype == DType::F16 || dtype == DType::BF16)
    return out_.integer(bits_of(item.as_double(), dtype, options_.overflow), {16, false});
  if (dtype != DType::F32 && dtype != DType::F64)
    fail(ErrorCode::unknown_dtype, trace, "Burn has no such number",
         {.expected = "f16, bf16, f32 or f64", .found = std::string(to_string(dtype))});
  const double number = item.as_double();
  out_.floating(dtype == DType::F32 ? single_of(number, options_.overflow) : number, dtype);
}

void Writer::optional(const Value& item, const TypeInfo& type, const Trace* trace) {
  if (item.is_none()) return out_.option(false);
  out_.option(true);
  // An optional whose object is None itself is a tuple of one (codecs/holders.hpp).
  const bool is_held = type.item->kinds.has(Kind::none) && item.kind() == Kind::tuple;
  // With names, nothing tells an optional from its value.
  if (out_.is_named()) --nodes_;
  value(is_held ? item.items().front() : item, type.item, trace);
}

void Writer::list(const Value& item, const TypeInfo* type, const Trace* trace) {
  const TypeInfo* const each = type != nullptr ? type->item : nullptr;
  const bool is_fixed = type != nullptr && type->size.has_value();
  // Whatever a record of another version has here, it is nothing.
  if (is_fixed && each->mark == constant_mark)
    return constant(static_cast<std::size_t>(*type->size), 0, trace);
  if (!item.is_sequence() || (is_fixed && item.size() != *type->size)) mismatch(*type, item, trace);
  out_.begin_list({item.size(), is_fixed});
  for (std::size_t i = 0; i < item.size(); ++i)
    value_at(item.items()[i], each, Trace{trace, {}, i});
  out_.end_list();
}

void Writer::tuple(const Value& item, const TypeInfo& type, const Trace* trace) {
  if (!item.is_sequence() || item.size() != type.items.size()) mismatch(type, item, trace);
  out_.begin_list({item.size(), true});
  for (std::size_t i = 0; i < item.size(); ++i)
    value_at(item.items()[i], type.items[i], Trace{trace, {}, i});
  out_.end_list();
}

void Writer::dict(const Value& item, const TypeInfo* type, const Trace* trace) {
  if (!item.is_mapping()) mismatch(*type, item, trace);
  out_.begin_map(item.size());
  for (const Entry& entry : item.entries()) {
    const std::string label = entry.key.key_label();
    const Trace step{trace, label};
    if (entry.key.kind() != Kind::string)
      fail(ErrorCode::type_mismatch, &step, "a key of a record is not a text",
           {.expected = "a str", .found = describe(entry.key)});
    check_utf8(label, &step);
    out_.key(label, &step);
    value_at(entry.value, type != nullptr ? type->item : nullptr, step);
  }
  out_.end_map();
}

void Writer::record(const Value& item, const TypeInfo* type, const Trace* trace) {
  if (!item.is_mapping()) mismatch(*type, item, trace);
  const std::string_view name = type != nullptr && !type->name.empty()
                                    ? std::string_view(type->name)
                                    : std::string_view(item.type_name());
  if (!fields_of(name).empty()) return module(item, type, name, trace);
  if (type == nullptr) return dict(item, nullptr, trace);
  out_.begin_struct(type->fields.size());
  const Value none;
  std::size_t found = 0;
  for (const TypeField& field : type->fields) {
    const Value* const member = member_of(item, field);
    if (member != nullptr) ++found;
    // Other formats leave out what is empty.
    if (member == nullptr && !(field.is_optional && field.type->kinds.has(Kind::none)))
      fail(ErrorCode::missing_field, trace, "the structure lacks a field of the type",
           {.expected = "'" + field.name + "'", .found = describe(item)});
    out_.name(field.name);
    value_at(member != nullptr ? *member : none, field.type, Trace{trace, field.name});
  }
  out_.end_struct();
  if (item.size() > found) refuse_others(item, *type, trace);
}

void Writer::refuse_others(const Value& item, const TypeInfo& type, const Trace* trace) const {
  for (const Entry& entry : item.entries()) {
    const auto is_of = [&](const TypeField& field) {
      const std::string& name = entry.key.as_string();
      return field.name == name || (std::ranges::find(field.aliases, name) != field.aliases.end() &&
                                    member_of(item, field) == &entry.value);
    };
    const bool is_field =
        entry.key.kind() == Kind::string && std::ranges::any_of(type.fields, is_of);
    // What has no contents in Burn, as a dropout, is None in a named record.
    if (is_field || is_nothing(entry.value)) continue;
    const std::string label = entry.key.key_label();
    const Trace step{trace, label};
    fail(ErrorCode::unknown_field, &step, "the type lacks a member of the structure",
         {.expected = to_string(type),
          .found = describe(entry.value),
          .advice = "Add it to the type that is given, or erase it from the structure"});
  }
}

void Writer::variant(const Value& item, const TypeInfo& type, const Trace* trace) {
  if (item.kind() != Kind::dict || item.size() != 1 ||
      item.entries().front().key.kind() != Kind::string)
    mismatch(type, item, trace);
  const Entry& entry = item.entries().front();
  const std::string& name = entry.key.as_string();
  const auto field = std::ranges::find(type.fields, name, &TypeField::name);
  if (field == type.fields.end())
    fail(ErrorCode::out_of_range, trace, "an enum has no such variant",
         {.expected = to_string(type), .found = "'" + name + "'"});
  const std::optional<std::uint64_t> index =
      type.mark == activation_mark
          ? activation_index(name, version_)
          : std::optional(static_cast<std::uint64_t>(field - type.fields.begin()));
  if (!index)
    fail(ErrorCode::out_of_range, trace, "this version of Burn has no such variant",
         {.expected = to_string(type),
          .found = "'" + name + "'",
          .advice = "Write for a newer version (burn::Options::burn_version)"});
  out_.begin_variant(*index, name);
  value_at(entry.value, field->type, Trace{trace, name});
  out_.end_variant();
}

void Writer::enumerator(const Value& item, const TypeInfo& type, const Trace* trace) {
  // A record with names, too, has an enum as a map of one variant.
  const bool is_map =
      item.kind() == Kind::dict && item.size() == 1 && item.entries().front().value.is_none();
  const Value& name = is_map ? item.entries().front().key : item;
  const auto found =
      name.kind() == Kind::string
          ? std::ranges::find(type.enumerators, name.as_string(), &TypeEnumerator::name)
          : type.enumerators.end();
  if (found == type.enumerators.end())
    fail(ErrorCode::out_of_range, trace, "an enum has a value without a name",
         {.expected = to_string(type), .found = describe(item)});
  count_parts(1, 1, trace);
  out_.begin_variant(static_cast<std::uint64_t>(found - type.enumerators.begin()), found->name);
  out_.constant(0);
  out_.end_variant();
}

}  // namespace safestructures::inline v0::burn
