#include <safestructures/codecs/variant.hpp>

#include <optional>
#include <string>

namespace safestructures::detail {
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

/// True for `{"variant": int, "value": ...}`.
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
  decoder.fail(ErrorCode::out_of_range, "a variant has no such alternative",
               "an index from 0 to " + std::to_string(count - 1), describe(index));
}

/// The kinds that codecs load a value of that kind from, beside those that they make.
KindSet readable_as(Kind kind) {
  const KindSet sequences = KindSet(Kind::list) | Kind::tuple | Kind::set | Kind::tensor;
  switch (kind) {
    case Kind::integer: return KindSet(Kind::floating) | Kind::complex;
    case Kind::floating: return Kind::complex;
    case Kind::bytes: return Kind::tensor;
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
    case Kind::tensor: return sequences | Kind::bytes;
    case Kind::dict:
    case Kind::custom: return Kind::structure;
    case Kind::structure: return Kind::dict;
    default: return {};
  }
}

/// The alternative that a value without attributes::variant stands for.
std::optional<std::size_t> choose(const Value& value, std::span<const Alternative> alternatives) {
  const auto first = [&](const auto& matches) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < alternatives.size(); ++i)
      if (matches(alternatives[i])) return i;
    return std::nullopt;
  };
  const Kind kind = value.kind();
  const std::string& name = value.type_name();
  if (!name.empty())
    if (const auto found = first([&](const Alternative& alternative) {
          return alternative.type_name == name && alternative.kinds.has(kind);
        }))
      return found;
  if (const auto found = first([&](const Alternative& alternative) {
        // A codec with a name loads custom values of this name only.
        const bool is_other = kind == Kind::custom && !alternative.type_name.empty();
        return alternative.kinds.has(kind) && !is_other;
      }))
    return found;
  const KindSet readable = readable_as(kind);
  return first(
      [&](const Alternative& alternative) { return alternative.kinds.overlaps(readable); });
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
  if (!has_tag && choose(value, alternatives) == index) return value;
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
  if (const auto index = choose(value, alternatives)) return {*index, &value};
  decoder.fail(ErrorCode::type_mismatch, "no alternative of a variant loads the value",
               "one of " + list_kinds(alternatives), describe(value));
}

}  // namespace safestructures::detail
