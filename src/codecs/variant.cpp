#include <safestructures/codecs/variant.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include "codecs/scalar_of.hpp"
#include "data/column_count.hpp"

namespace safestructures::inline v0::detail {
namespace {

bool has_attributes(Kind kind) {
  switch (kind) {
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
    case Kind::dict:
    case Kind::structure:
    case Kind::tensor: return true;
    default: return false;
  }
}

/// Whether a value is `{"variant": int, "value": ...}`.
bool is_wrapper(const Value& value) {
  if (value.kind() != Kind::dict || value.size() != 2) return false;
  const Value* index = value.find(attributes::variant);
  return index != nullptr && index->kind() == Kind::integer && value.find("value") != nullptr;
}

std::size_t checked_index(const Value& index, std::size_t count, const Decoder& decoder) {
  if (index.kind() == Kind::integer) {
    const auto number = index.as_uint64();
    if (number && *number < count) return static_cast<std::size_t>(*number);
  }
  decoder.fail(
      ErrorCode::out_of_range, "a variant has no such alternative",
      {.expected = "an index from 0 to " + std::to_string(count - 1), .found = describe(index)});
}

/// Returns the kinds made by codecs that can also load this value.
KindSet readable_as(const Value& value) {
  const KindSet sequences = KindSet(Kind::list) | Kind::tuple | Kind::set | Kind::tensor;
  const KindSet numbers = KindSet(Kind::boolean) | Kind::integer | Kind::floating | Kind::complex;
  switch (value.kind()) {
    case Kind::integer: return KindSet(Kind::floating) | Kind::complex;
    case Kind::floating: return Kind::complex;
    case Kind::string: return Kind::tensor;
    case Kind::bytes: return KindSet(Kind::tensor) | Kind::string;
    case Kind::tensor:
      return value.tensor().rank() == 0 ? numbers : sequences | Kind::bytes | Kind::string;
    case Kind::list: return sequences | Kind::dict;
    case Kind::tuple:
    case Kind::set: return sequences;
    case Kind::dict:
    case Kind::custom: return Kind::structure;
    case Kind::structure: return column_count(value) ? sequences | Kind::dict : Kind::dict;
    default: return {};
  }
}

/// Whether a struct may have more fields than its description.
enum class Fields : bool { same, more };

// How many levels below a value are checked: enough to distinguish containers of different items.
constexpr unsigned fit_levels = 3;

bool fits(const Value& value, const TypeInfo& type, Fields fields, unsigned levels);

bool fits_fields(const Value& value, const TypeInfo& type, Fields fields, unsigned levels) {
  std::size_t known = 0;
  for (const TypeField& field : type.fields) {
    const Value* found = value.find(field.name);
    for (const std::string& alias : field.aliases)
      if (found == nullptr) found = value.find(alias);
    if (found == nullptr && !field.is_optional) return false;
    if (found == nullptr) continue;
    ++known;
    if (!fits(*found, *field.type, fields, levels)) return false;
  }
  return fields == Fields::more || known == value.size();
}

bool fits_tensor(const Value& value, const TypeInfo& type) {
  const Value* const note = value.attribute(attributes::dtype);
  const std::string_view dtype = note != nullptr && note->kind() == Kind::string
                                     ? std::string_view(note->as_string())
                                     : to_string(value.tensor().dtype());
  if (type.dtype && dtype != to_string(*type.dtype)) return false;
  if (!type.shape) return true;
  return std::ranges::equal(*type.shape, value.tensor().shape(),
                            [](Extent extent, std::uint64_t size) { return extent.holds(size); });
}

bool fits_integer(const Value& value, const TypeInfo& type) {
  if (!type.is_signed) {
    const auto number = value.as_uint64();
    return number && (type.bits >= 64 || *number >> type.bits == 0);
  }
  const auto number = value.as_int64();
  return number && (type.bits >= 64 || (*number >> (type.bits - 1)) == (*number < 0 ? -1 : 0));
}

bool fits_items(const Value& value, const TypeInfo& type, Fields fields, unsigned levels) {
  // Only the first of many is checked.
  return value.size() == 0 || type.item == nullptr ||
         fits(value.items().front(), *type.item, fields, levels);
}

/// Whether a value looks like a saved object of the type, as far as `levels` show. Recursive, up to
/// `levels`.
bool fits(const Value& value, const TypeInfo& type, Fields fields, unsigned levels) {
  if (!type.kinds.has(value.kind())) return false;
  if (levels == 0) return true;
  const unsigned below = levels - 1;
  const auto held = [&](const TypeInfo* held_type) {
    return held_type == nullptr || fits(value, *held_type, fields, below);
  };
  switch (type.kind) {
    case TypeKind::optional:
    case TypeKind::pointer: return value.is_none() || held(type.item);
    case TypeKind::variant: return std::ranges::any_of(type.items, held);
    case TypeKind::enumeration:
      return value.kind() == Kind::integer
                 ? held(type.item)
                 : std::ranges::any_of(type.enumerators, [&](const TypeEnumerator& one) {
                     return one.name == value.as_string();
                   });
    case TypeKind::string:
      return value.kind() != Kind::string || !type.size ||
             value.as_string().size() <= 2 * *type.size;
    default: break;
  }
  switch (value.kind()) {
    case Kind::integer: return type.kind != TypeKind::integer || fits_integer(value, type);
    case Kind::tensor: return type.kind != TypeKind::tensor || fits_tensor(value, type);
    case Kind::structure:
      return type.kind != TypeKind::structure || fits_fields(value, type, fields, below);
    case Kind::list:
    case Kind::set: return fits_items(value, type, fields, below);
    case Kind::tuple:
      if (type.kind != TypeKind::tuple) return true;
      return std::ranges::equal(
          value.items(), type.items,
          [&](const Value& item, const TypeInfo* one) { return fits(item, *one, fields, below); });
    case Kind::dict:
      return value.size() == 0 || type.key == nullptr ||
             (fits(value.entries().front().key, *type.key, fields, below) &&
              fits(value.entries().front().value, *type.item, fields, below));
    default: return true;
  }
}

/// Whether a dict has the fields of a struct.
bool fits_as_struct(const Value& value, const TypeInfo& type, Fields fields) {
  return type.kind != TypeKind::structure ||
         (value.is_mapping() && fits_fields(value, type, fields, fit_levels));
}

/// How to choose between alternatives of one kind.
enum class Tell : bool { order, fit };

/// Returns the first matching alternative that the value fits, or else the first matching one.
template <class Matches>
std::optional<std::size_t> best_of(const Value& value, std::span<const Alternative> alternatives,
                                   Tell tell, const Matches& matches) {
  const auto first = [&](const auto& suits) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < alternatives.size(); ++i)
      if (matches(alternatives[i]) && suits(alternatives[i])) return i;
    return std::nullopt;
  };
  if (tell == Tell::fit && std::ranges::count_if(alternatives, matches) > 1) {
    for (const Fields fields : {Fields::same, Fields::more}) {
      const auto found = first([&](const Alternative& alternative) {
        const TypeInfo& type = alternative.type();
        return type.kinds.has(value.kind()) ? fits(value, type, fields, fit_levels)
                                            : fits_as_struct(value, type, fields);
      });
      if (found) return found;
    }
  }
  return first([](const Alternative&) { return true; });
}

/// Returns the alternative for a value without attributes::variant.
std::optional<std::size_t> choose(const Value& value, std::span<const Alternative> alternatives,
                                  Tell tell) {
  const Kind kind = value.kind();
  if (const std::string& name = value.type_name(); !name.empty()) {
    const auto named = std::ranges::find_if(alternatives, [&](const Alternative& alternative) {
      return alternative.type_name == name && alternative.kinds.has(kind);
    });
    if (named != alternatives.end()) return static_cast<std::size_t>(named - alternatives.begin());
  }
  const auto made = best_of(value, alternatives, tell, [&](const Alternative& alternative) {
    // A codec with a name only loads custom values of that name.
    const bool is_other = kind == Kind::custom && !alternative.type_name.empty();
    return alternative.kinds.has(kind) && !is_other;
  });
  if (made) return made;
  const KindSet readable = readable_as(value);
  return best_of(value, alternatives, tell, [&](const Alternative& alternative) {
    return alternative.kinds.overlaps(readable);
  });
}

std::string list_kinds(std::span<const Alternative> alternatives) {
  std::string text;
  for (unsigned number = 0; number <= static_cast<unsigned>(Kind::custom); ++number) {
    const auto kind = static_cast<Kind>(number);
    bool is_made = false;
    for (const Alternative& alternative : alternatives)
      is_made = is_made || alternative.kinds.has(kind);
    if (!is_made) continue;
    if (!text.empty()) text += ", ";
    text += to_string(kind);
  }
  return text;
}

}  // namespace

Value tag_variant(Value value, std::size_t index, std::span<const Alternative> alternatives) {
  const bool has_tag = is_wrapper(value) || value.attribute(attributes::variant) != nullptr;
  // Reads the same with or without a tag, for readers that check only the kind and for those that
  // check more.
  const bool is_told = choose(value, alternatives, Tell::order) == index &&
                       choose(value, alternatives, Tell::fit) == index;
  if (!has_tag && is_told) return value;
  if (!has_tag && has_attributes(value.kind())) {
    value.set_attribute(attributes::variant, Value(index));
    return value;
  }
  Value wrapper = Value::dict();
  wrapper.insert(Value(attributes::variant), Value(index));
  wrapper.insert(Value("value"), std::move(value));
  return wrapper;
}

VariantContent read_variant(const Value& value, std::span<const Alternative> alternatives,
                            const Decoder& decoder) {
  const std::size_t count = alternatives.size();
  if (const Value* index = value.attribute(attributes::variant))
    return {checked_index(*index, count, decoder), &value};
  if (is_wrapper(value))
    return {checked_index(*value.find(attributes::variant), count, decoder), value.find("value")};
  if (const auto index = choose(value, alternatives, Tell::fit)) return {*index, &value};
  if (const auto scalar = scalar_in(value, decoder))
    if (const auto index = choose(*scalar, alternatives, Tell::fit)) return {*index, &value};
  decoder.fail(ErrorCode::type_mismatch, "no alternative of a variant can load the value",
               {.expected = "one of " + list_kinds(alternatives), .found = describe(value)});
}

}  // namespace safestructures::inline v0::detail
