#include "formats/burn/bincode_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/formats/burn_marks.hpp>
#include "data/limit.hpp"
#include "formats/burn/bincode.hpp"
#include "formats/burn/utf8.hpp"

namespace safestructures::inline v0::burn {
namespace {

template <class T>
T load_little(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

}  // namespace

BincodeReader::BincodeReader(const std::shared_ptr<const Source>& source,
                             const LoadOptions& options, bool bare)
    : source_(source),
      options_(options),
      bare_(bare),
      window_(source, options.access == Access::map) {}

void BincodeReader::fail(ErrorCode code, const Trace* trace, std::string problem,
                         ErrorDetails details) const {
  details.path = to_string(trace);
  details.offset = window_.position();
  throw Error(code, std::move(problem), std::move(details));
}

unsigned BincodeReader::byte() { return std::to_integer<unsigned>(window_.take(1)[0]); }

std::uint64_t BincodeReader::varint() {
  const unsigned first = byte();
  switch (first) {
    case bincode::mark16: return load_little<std::uint16_t>(window_.take(2));
    case bincode::mark32: return load_little<std::uint32_t>(window_.take(4));
    case bincode::mark64: return load_little<std::uint64_t>(window_.take(8));
    default: break;
  }
  if (first > bincode::mark64)
    throw Error(ErrorCode::invalid_header, "a byte cannot begin an integer",
                {.expected = "a byte up to 253",
                 .found = std::to_string(first),
                 .advice = "Check that the C++ type has the fields of the record, in its order",
                 .offset = window_.position() - 1});
  return first;
}

std::string BincodeReader::text() {
  const std::uint64_t begin = window_.position();
  const std::span<const std::byte> bytes = window_.take(varint());
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  check_utf8(text, begin);
  return text;
}

bool BincodeReader::tag(const Trace* trace) {
  const unsigned tag = byte();
  if (tag > 1)
    fail(ErrorCode::invalid_header, trace, "a tag is neither 0 nor 1",
         {.expected = "0 or 1",
          .found = std::to_string(tag),
          .advice = "Check that the C++ type has the fields of the record, in its order"});
  return tag == 1;
}

std::uint64_t BincodeReader::length(std::uint64_t least, const Trace* trace) {
  // Some items take no bytes, such as the units of a list: a few of these are enough.
  constexpr std::uint64_t most_empty = 4096;
  const std::uint64_t count = varint();
  const std::uint64_t most =
      least > 0 ? window_.left() / least : std::max(window_.left(), most_empty);
  if (count > most)
    fail(ErrorCode::truncated, trace, "the file ends before the items that it announces",
         {.expected = std::to_string(count) + " items",
          .found = std::to_string(window_.left()) + " bytes",
          .advice = "Check that the C++ type has the fields of the record, in its order"});
  return count;
}

RecordMetadata BincodeReader::metadata() {
  RecordMetadata metadata;
  for (const auto& [name, field] : RecordMetadata::fields) metadata.*field = text();
  return metadata;
}

Value BincodeReader::item(const RecordMetadata& metadata, const TypeInfo& type) {
  metadata_ = metadata;
  version_ = version_of(metadata);
  Value result = value(type, nullptr);
  if (window_.left() > 0)
    fail(ErrorCode::invalid_header, nullptr, "there are bytes after the record",
         {.expected = "the end of the file",
          .found = std::to_string(window_.left()) + (window_.left() == 1 ? " byte" : " bytes"),
          .advice = "Check that the C++ type has all fields of the record"});
  return result;
}

Value BincodeReader::value_at(const TypeInfo& type, const Trace& trace) {
  try {
    const detail::Descent level(depth_, options_.limits.depth, &trace);
    return value(type, &trace);
  } catch (const Error& error) {
    throw error.with_path(to_string(&trace));
  }
}

Value BincodeReader::value(const TypeInfo& type, const Trace* trace) {
  if (++nodes_ > options_.limits.nodes)
    throw detail::past(detail::Limit::nodes, options_.limits.nodes,
                       {.path = to_string(trace), .offset = window_.position()});
  switch (type.kind) {
    case TypeKind::none:
      if (type.mark == constant_mark) constant(0);
      return {};
    case TypeKind::boolean: return tag(trace);
    case TypeKind::integer: return integer(type, trace);
    case TypeKind::floating: return floating(type, trace);
    case TypeKind::string: return Value(text());
    case TypeKind::bytes: return bytes(type, trace);
    case TypeKind::list:
    case TypeKind::set: return list(type, trace);
    case TypeKind::tuple: return tuple(type, trace);
    case TypeKind::dict:
      if (type.mark == enum_mark || type.mark == activation_mark) return variant(type, trace);
      return type.fields.empty() ? dict(type, trace) : structure(type, trace);
    case TypeKind::structure: return structure(type, trace);
    case TypeKind::tensor:
      return type.item != nullptr && type.mark.empty() ? sequence(type, trace)
                                                       : tensor(type, trace);
    case TypeKind::enumeration: return enumerator(type, trace);
    case TypeKind::optional:
    case TypeKind::pointer: return optional(type, trace);
    case TypeKind::variant:
      fail(ErrorCode::invalid_argument, trace,
           "a record of Burn names its variants, and std::variant does not",
           {.expected = "burn::Enum<burn::Case<\"Name\", T>, ...>", .found = to_string(type)});
    default: break;
  }
  fail(ErrorCode::invalid_argument, trace, "bincode needs a C++ type that says what is stored",
       {.expected = "structs, sequences, maps, tensors and scalars",
        .found = to_string(type),
        .advice = "Load it into an object, or save it as MessagePack (.mpk) in Burn"});
}

Value BincodeReader::integer(const TypeInfo& type, const Trace* trace) {
  if (type.bits == 8) {
    const unsigned value = byte();
    return type.is_signed ? Value(static_cast<std::int8_t>(value)) : Value(value);
  }
  const std::uint64_t raw = varint();
  const std::int64_t number = bincode::unzigzag(raw);
  const unsigned spare = 64 - type.bits;
  const bool fits = type.is_signed ? number >= std::numeric_limits<std::int64_t>::min() >> spare &&
                                         number <= std::numeric_limits<std::int64_t>::max() >> spare
                                   : raw <= std::numeric_limits<std::uint64_t>::max() >> spare;
  Value value = type.is_signed ? Value(number) : Value(raw);
  if (!fits)
    fail(ErrorCode::out_of_range, trace, "an integer does not fit its type",
         {.expected = to_string(type), .found = value.integer_text()});
  return value;
}

Value BincodeReader::floating(const TypeInfo& type, const Trace* trace) {
  switch (type.dtype.value_or(DType::F64)) {
    case DType::F64: return load_little<double>(window_.take(8));
    case DType::F32: return load_little<float>(window_.take(4));
    case DType::F16:
    case DType::BF16: {
      const auto bits = static_cast<std::uint16_t>(varint());
      double number = 0;
      convert_elements(*type.dtype, std::as_bytes(std::span(&bits, 1)), DType::F64,
                       std::as_writable_bytes(std::span(&number, 1)), 1);
      return number;
    }
    default: break;
  }
  fail(ErrorCode::unknown_dtype, trace, "Burn has no such number",
       {.expected = "f16, bf16, f32 or f64", .found = to_string(type)});
}

Value BincodeReader::bytes(const TypeInfo& type, const Trace* trace) {
  return Value::bytes(window_.take(type.size ? *type.size : length(1, trace)));
}

Value BincodeReader::optional(const TypeInfo& type, const Trace* trace) {
  if (!tag(trace)) return {};
  Value held = value(*type.item, trace);
  // As in codecs/holders.hpp.
  if (held.is_none() || (type.item->kinds.has(Kind::none) && held.kind() == Kind::tuple)) {
    std::vector<Value> one;
    one.push_back(std::move(held));
    return Value::tuple(std::move(one));
  }
  return held;
}

Value BincodeReader::list(const TypeInfo& type, const Trace* trace) {
  const bool has_length = !type.size || version_ < since::fixed_arrays;
  if (type.size && type.item->mark == constant_mark) {
    constant(static_cast<std::size_t>(*type.size));
    return Value::list(std::vector<Value>(static_cast<std::size_t>(*type.size)));
  }
  const std::uint64_t count = has_length ? length(0, trace) : *type.size;
  Value result = type.kind == TypeKind::set ? Value::set() : Value::list();
  for (std::uint64_t i = 0; i < count; ++i)
    result.push_back(value_at(*type.item, Trace{trace, {}, static_cast<std::size_t>(i)}));
  return result;
}

Value BincodeReader::tuple(const TypeInfo& type, const Trace* trace) {
  Value result = Value::tuple();
  for (std::size_t i = 0; i < type.items.size(); ++i)
    result.push_back(value_at(*type.items[i], Trace{trace, {}, i}));
  return result;
}

Value BincodeReader::dict(const TypeInfo& type, const Trace* trace) {
  const std::uint64_t count = length(0, trace);
  Value result = Value::dict();
  for (std::uint64_t i = 0; i < count; ++i) {
    // Keys are texts. Those of an enum are names: only as values do its variants have numbers.
    const bool is_text =
        type.key->kind == TypeKind::string || type.key->kind == TypeKind::enumeration;
    Value key = is_text ? Value(text()) : value(*type.key, trace);
    const std::string label = key.key_label();
    const Trace step{trace, label};
    if (result.find_key(key) != nullptr)
      fail(ErrorCode::duplicate_name, trace, "a map contains a key twice",
           {.found = "'" + label + "'"});
    Value item = value_at(*type.item, step);
    result.insert(std::move(key), std::move(item));
  }
  return result;
}

Value BincodeReader::structure(const TypeInfo& type, const Trace* trace) {
  const std::span<const ModuleField> fields = fields_of(type.name);
  if (!fields.empty()) return module(type, fields, trace);
  Value result = Value::structure(type.name);
  for (const TypeField& field : type.fields)
    result.insert(Value(field.name), value_at(*field.type, Trace{trace, field.name}));
  return result;
}

void BincodeReader::constant(std::size_t count) {
  if (count == 0 || version_ >= since::one_constant) return window_.pass(1);
  if (version_ < since::fixed_arrays) count = static_cast<std::size_t>(length(1, nullptr));
  window_.pass(count);
}

Value BincodeReader::module(const TypeInfo& type, std::span<const ModuleField> fields,
                            const Trace* trace) {
  Value result = Value::structure(type.name);
  for (const ModuleField& field : fields) {
    if (!field.is_in(version_)) continue;
    const Trace step{trace, field.name};
    if (field.role == Role::constant) {
      constant(field.count);
    } else if (field.role == Role::optional_constant) {
      if (tag(&step)) constant(0);
    } else {
      const auto found = std::ranges::find(type.fields, field.name, &TypeField::name);
      if (found == type.fields.end())
        fail(ErrorCode::missing_field, trace,
             "a type that has the name of a module of Burn lacks its field",
             {.expected = "'" + std::string(field.name) + "'", .found = to_string(type)});
      const TypeInfo* member = found->type;
      if (version_ < field.optional_from && member->kind == TypeKind::optional)
        member = member->item;
      result.insert(Value(field.name), value_at(*member, step));
    }
  }
  return result;
}

Value BincodeReader::variant(const TypeInfo& type, const Trace* trace) {
  const std::uint64_t index = varint();
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const TypeField& field = type.fields[i];
    const std::optional<std::uint64_t> own = type.mark == activation_mark
                                                 ? activation_index(field.name, version_)
                                                 : std::optional<std::uint64_t>(i);
    if (own != index) continue;
    Value result = Value::dict();
    result.insert(Value(field.name), value_at(*field.type, Trace{trace, field.name}));
    return result;
  }
  fail(ErrorCode::out_of_range, trace, "an enum has no such variant",
       {.expected = to_string(type), .found = "number " + std::to_string(index)});
}

Value BincodeReader::enumerator(const TypeInfo& type, const Trace* trace) {
  const std::uint64_t index = varint();
  if (index >= type.enumerators.size())
    fail(ErrorCode::out_of_range, trace, "an enum has no such variant",
         {.expected = to_string(type), .found = "number " + std::to_string(index)});
  constant(0);
  return Value(type.enumerators[static_cast<std::size_t>(index)].name);
}

}  // namespace safestructures::inline v0::burn
