#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "data/keyed_hash.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "formats/safestructures/schema_reader.hpp"

namespace safestructures::inline v0::schema {

Value Reader::small_integer(std::int64_t number, const Trace* trace) const {
  if (limits_.digits >= detail::most_small_digits) return number;
  return big_integer(std::to_string(number), trace);
}

Value Reader::big_integer(std::string_view digits, const Trace* trace) const {
  const std::size_t count = digits.size() - (digits.starts_with('-') ? 1 : 0);
  if (count > limits_.digits)
    throw detail::past(detail::Limit::digits, limits_.digits,
                       {.path = to_string(trace), .found = std::to_string(count)});
  return Value::integer(digits);
}

/// Reads a plain JSON number: an int of any size, or a float.
Value Reader::number(const Json& json, const Trace* trace) const {
  if (!json.is_integer()) return json.number();
  const std::string_view digits = json.text();
  std::int64_t small = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), small).ec == std::errc())
    return small_integer(small, trace);
  return big_integer(digits, trace);
}

void Reader::attributes(Value& value, const Json& json, bool has_own_keys, const Trace* trace) {
  std::unordered_set<std::string_view, detail::KeyedHash> names;
  for (const auto& [name, item] : json.members()) {
    if (name == schema_type || name == schema_value || (has_own_keys && name == schema_keys))
      continue;
    if (!names.insert(name).second) twice(trace, name);
    if (name == schema_keys && value.kind() != Kind::custom)
      fail(ErrorCode::invalid_schema, trace, "only a dict has keys");
    if (value.kind() == Kind::structure && name == schema_class) {
      const auto class_name = item.string();
      if (!class_name)
        fail(ErrorCode::invalid_schema, trace, "class has the wrong form",
             {.expected = "a string", .found = describe(item)});
      value.set_type_name(std::string(*class_name));
      continue;
    }
    const Trace step{trace, name};
    value.set_attribute(std::string(name), plain(item, &step, Nodes::tensors));
  }
}

Value Reader::custom(const Node& parts, const Trace* trace) {
  // A tensor plugin's payload is a tensor's name; the tensor must be kept.
  if (const auto text = parts.value.string()) {
    std::string name(*text);
    if (const std::optional<std::size_t> place = tensors_.find_named_by_text(name)) {
      Value payload(tensors_.take(*place));
      payload.set_tensor_name(std::move(name));
      return Value::custom(std::string(parts.type), std::move(payload).plain());
    }
  }
  return Value::custom(std::string(parts.type), plain(parts.value, trace, Nodes::all));
}

bool Reader::is_node(const Json& json, Nodes nodes) {
  if (!json.is(json::Token::object)) return false;
  std::optional<std::string_view> type;
  std::optional<Json> payload;
  for (const auto& [name, value] : json.members()) {
    if (name == schema_type && value.string()) type = value.string();
    if (name == schema_value) payload = value;
  }
  if (!type || !payload) return false;
  if (nodes == Nodes::all) return true;
  const Kind kind = kind_of(*type).value_or(Kind::custom);
  return payload->string() && (kind == Kind::tensor || kind == Kind::bytes || kind == Kind::custom);
}

/// Reads JSON as it is, except for the nodes in it.
Value Reader::plain(const Json& json, const Trace* trace, Nodes nodes) {
  if (is_node(json, nodes)) return node(json, trace);
  const detail::Descent level = descend(trace);
  count_node(trace);
  switch (json.kind()) {
    case json::Token::boolean: return Value(json.boolean()).plain();
    case json::Token::number: return number(json, trace).plain();
    case json::Token::string: return Value(json.text()).plain();
    case json::Token::array: {
      Value list = Value::list();
      for (const Json item : json.items()) {
        const Trace step{trace, {}, list.size()};
        list.push_back(plain(item, &step, nodes));
      }
      return std::move(list).plain();
    }
    case json::Token::object: {
      Value dict = Value::dict();
      for (const auto& [name, item] : json.members()) {
        const Trace step{trace, name};
        insert(dict, std::string(name), plain(item, &step, nodes), &step);
      }
      return std::move(dict).plain();
    }
    default: return Value().plain();
  }
}

}  // namespace safestructures::inline v0::schema
