#include <string>
#include <unordered_set>
#include <utility>

#include "data/keyed_hash.hpp"
#include "formats/json_marks.hpp"
#include "formats/schema_names.hpp"
#include "formats/schema_reader.hpp"

namespace safestructures::schema {

namespace dom = simdjson::dom;

std::string_view Reader::describe(const Json& json) {
  switch (json.type()) {
    case dom::element_type::ARRAY: return "an array";
    case dom::element_type::OBJECT: return "an object";
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE: return "a number";
    case dom::element_type::STRING: return "a string";
    case dom::element_type::BOOL: return "a boolean";
    case dom::element_type::NULL_VALUE: return "null";
    default: return "something else";
  }
}

std::string Reader::text_of(std::string_view text) const {
  return marked_ ? detail::unmark_string(text) : std::string(text);
}

/// The digits of an integer that is beyond 64 bits in the JSON itself.
std::optional<std::string_view> Reader::long_integer(const Json& json) const {
  std::string_view text;
  if (!marked_ || json.get(text)) return std::nullopt;
  return detail::unmark_integer(text);
}

Value Reader::big_integer(std::string_view digits, const Trace* trace) const {
  const std::size_t count = digits.size() - (digits.starts_with('-') ? 1 : 0);
  if (count > limits_.digits)
    fail(ErrorCode::limit_exceeded, trace, "an int has too many digits",
         "at most " + std::to_string(limits_.digits) + " (Limits::digits)", std::to_string(count));
  return Value::integer(digits);
}

void Reader::attributes(Value& value, const Json& json, bool has_own_keys, const Trace* trace) {
  std::unordered_set<std::string_view, detail::KeyedHash> names;
  for (const auto& [name, item] : dom::object(json)) {
    if (name == type_field || name == value_field || (has_own_keys && name == keys_field)) continue;
    if (!names.insert(name).second) twice(trace, name);
    if (name == keys_field && value.kind() != Kind::custom)
      fail(ErrorCode::invalid_schema, trace, "only a dict has keys");
    if (value.kind() == Kind::structure && name == class_field) {
      std::string_view class_name;
      if (item.get(class_name))
        fail(ErrorCode::invalid_schema, trace, "class has the wrong form", "a string",
             std::string(describe(item)));
      value.set_type_name(text_of(class_name));
      continue;
    }
    const Trace step{trace, name};
    value.set_attribute(text_of(name), plain(item, &step, Nodes::tensors));
  }
}

Value Reader::custom(const Node& parts, const Trace* trace) {
  // A tensor plugin's payload is a tensor's name; the tensor must come along.
  std::string_view text;
  if (!parts.value.get(text)) {
    std::string name = text_of(text);
    if (std::optional<Tensor> tensor = tensors_.find(name)) {
      Value payload(std::move(*tensor));
      payload.set_tensor_name(std::move(name));
      return Value::custom(text_of(parts.type), std::move(payload).plain());
    }
  }
  return Value::custom(text_of(parts.type), plain(parts.value, trace, Nodes::all));
}

bool Reader::is_node(const Json& json, Nodes nodes) {
  dom::object object;
  if (json.get(object)) return false;
  std::optional<std::string_view> type;
  std::optional<Json> payload;
  for (const auto& [name, value] : object) {
    std::string_view text;
    if (name == type_field && !value.get(text)) type = text;
    if (name == value_field) payload = value;
  }
  if (!type || !payload) return false;
  if (nodes == Nodes::all) return true;
  const Kind kind = kind_of(*type).value_or(Kind::custom);
  return payload->is_string() &&
         (kind == Kind::tensor || kind == Kind::bytes || kind == Kind::custom);
}

/// JSON as it is, but for the nodes in it.
Value Reader::plain(const Json& json, const Trace* trace, Nodes nodes) {
  if (is_node(json, nodes)) return node(json, trace);
  const Level level(*this, trace);
  count_node(trace);
  switch (json.type()) {
    case dom::element_type::BOOL: return Value(bool(json)).plain();
    case dom::element_type::INT64: return Value(std::int64_t(json)).plain();
    case dom::element_type::UINT64: return Value(std::uint64_t(json)).plain();
    case dom::element_type::DOUBLE: return Value(double(json)).plain();
    case dom::element_type::STRING:
      if (const auto digits = long_integer(json)) return big_integer(*digits, trace).plain();
      return Value(text_of(std::string_view(json))).plain();
    case dom::element_type::ARRAY: {
      Value list = Value::list();
      for (const Json item : dom::array(json)) {
        const Trace step{trace, {}, list.size()};
        list.push_back(plain(item, &step, nodes));
      }
      return std::move(list).plain();
    }
    case dom::element_type::OBJECT: {
      Value dict = Value::dict();
      for (const auto& [name, item] : dom::object(json)) {
        const Trace step{trace, name};
        insert(dict, text_of(name), plain(item, &step, nodes), &step);
      }
      return std::move(dict).plain();
    }
    default: return Value().plain();
  }
}

}  // namespace safestructures::schema
