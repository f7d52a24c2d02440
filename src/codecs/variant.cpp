#include <safestructures/codecs/variant.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include "codecs/fits.hpp"
#include "codecs/scalar_of.hpp"

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

/// How to choose between alternatives that could be it.
enum class Tell : bool { order, fit };

using Alternatives = std::span<const Alternative>;

/// Returns the first alternative that is wanted.
template <class Wanted>
std::optional<std::size_t> first_of(Alternatives alternatives, const Wanted& wanted) {
  const auto found = std::ranges::find_if(alternatives, wanted);
  if (found == alternatives.end()) return std::nullopt;
  return static_cast<std::size_t>(found - alternatives.begin());
}

/// Returns the first alternative that may be it and that the value fits.
template <class MayBe>
std::optional<std::size_t> fitting(const Value& value, Alternatives alternatives, Form form,
                                   const MayBe& may_be) {
  for (const Fields fields : {Fields::same, Fields::more})
    if (const auto found = first_of(alternatives, [&](const Alternative& alternative) {
          return may_be(alternative) && fits(value, alternative.type(), {form, fields});
        }))
      return found;
  return std::nullopt;
}

/// Returns the alternative for a value without attributes::variant.
std::optional<std::size_t> choose(const Value& value, Alternatives alternatives, Tell tell) {
  const Kind kind = value.kind();
  if (const std::string& name = value.type_name(); !name.empty()) {
    const auto named = first_of(alternatives, [&](const Alternative& alternative) {
      return alternative.type_name == name && alternative.kinds.has(kind);
    });
    if (named) return named;
  }
  const auto is_made = [&](const Alternative& alternative) {
    // A codec with a name only loads custom values of that name.
    const bool is_other = kind == Kind::custom && !alternative.type_name.empty();
    return alternative.kinds.has(kind) && !is_other;
  };
  const KindSet readable = readable_as(value);
  const auto is_read = [&](const Alternative& alternative) {
    return is_made(alternative) || alternative.kinds.overlaps(readable);
  };
  const auto made = first_of(alternatives, is_made);
  // A scalar or tensor of a kind that one alternative makes is that one, or an error of it.
  const bool is_clear = made && !value.is_sequence() && !value.is_mapping() &&
                        std::ranges::count_if(alternatives, is_made) == 1;
  if (tell == Tell::fit && !is_clear) {
    if (const auto found = fitting(value, alternatives, Form::saved, is_made)) return found;
    if (const auto found = fitting(value, alternatives, Form::loadable, is_read)) return found;
  }
  return made ? made : first_of(alternatives, is_read);
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
