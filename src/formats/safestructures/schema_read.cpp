#include <charconv>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>
#include "data/dict.hpp"
#include "data/keyed_hash.hpp"
#include "data/text/number.hpp"
#include "data/text/printable.hpp"
#include "formats/fast_utf8.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "formats/safestructures/schema_reader.hpp"

namespace safestructures::inline v0::schema {

Value Reader::read(std::string_view text) {
  // A node takes two levels of JSON: its object and the container in it. A dict's keys take no
  // more.
  const json::CursorOptions options{.what = "the schema",
                                    .code = ErrorCode::invalid_schema,
                                    .depth = std::uint64_t{limits_.depth} * 2 + 4,
                                    .python_numbers = true};
  const auto tree = [&] {
    try {
      return json::Tree(text, options);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::limit_exceeded)
        throw detail::past(detail::Limit::depth, limits_.depth);
      // The offset would be relative to this text, which is embedded in another one.
      const ErrorDetails& details = error.details();
      fail(error.code(), nullptr, error.problem(),
           {.expected = details.expected, .found = details.expected.empty() ? "" : details.found});
    }
  }();
  return node(tree.root(), nullptr);
}

void Reader::fail(ErrorCode code, const Trace* trace, std::string problem, ErrorDetails details) {
  details.path = to_string(trace);
  throw Error(code, std::move(problem), std::move(details));
}

void Reader::wrong(const Trace* trace, std::string_view type, std::string expected,
                   const Json& found) {
  fail(ErrorCode::invalid_schema, trace,
       "a node of type '" + std::string(type) + "' has a wrong value",
       {.expected = std::move(expected), .found = describe(found)});
}

void Reader::count_node(const Trace* trace) {
  if (++nodes_ > limits_.nodes)
    throw detail::past(detail::Limit::nodes, limits_.nodes, {.path = to_string(trace)});
}

/// Takes a node's object apart. Each of its own fields may occur once.
Reader::Node Reader::fields(const Json& json, const Trace* trace) const {
  if (!json.is(json::Token::object))
    fail(ErrorCode::invalid_schema, trace, "a node of the schema has the wrong form",
         {.expected = "an object with data_type and value", .found = describe(json)});
  Node node;
  bool has_type = false;
  bool has_value = false;
  for (const auto& [name, value] : json.members()) {
    if (name == schema_type) {
      if (std::exchange(has_type, true)) twice(trace, name);
      if (!value.string())
        fail(ErrorCode::invalid_schema, trace, "data_type has the wrong form",
             {.expected = "a string", .found = describe(value)});
      node.type = value.text();
    } else if (name == schema_value) {
      if (std::exchange(has_value, true)) twice(trace, name);
      node.value = value;
    } else if (name == schema_keys) {
      if (node.keys) twice(trace, name);
      node.keys = value;
    } else if (++node.others > limits_.attributes) {
      throw detail::past(detail::Limit::attributes, limits_.attributes, {.path = to_string(trace)});
    }
  }
  if (!has_type) fail(ErrorCode::invalid_schema, trace, "a node of the schema has no data_type");
  if (!has_value) fail(ErrorCode::invalid_schema, trace, "a node of the schema has no value");
  return node;
}

void Reader::twice(const Trace* trace, std::string_view name) {
  fail(ErrorCode::duplicate_name, trace, "a node contains a field twice",
       {.found = "'" + std::string(name) + "'"});
}

/// Returns the kind of a node, or nothing for a custom type. A type of Python's `collections` is
/// custom if it is not spelled as plugins/python does, because users may have their own plugins for
/// it.
std::optional<Kind> Reader::kind_of_node(const Node& parts) {
  const std::optional<Kind> kind = kind_of(parts.type);
  if (!kind || !parts.type.starts_with(collections)) return kind;
  const auto is_part = [](const Json& json) { return is_node(json, Nodes::all); };
  if (*kind == Kind::list) {
    if (!parts.value.is(json::Token::array)) return std::nullopt;
    for (const Json item : parts.value.items())
      if (!is_part(item)) return std::nullopt;
    return kind;
  }
  if (!parts.value.is(json::Token::object) || !parts.keys || !parts.keys->is(json::Token::object))
    return std::nullopt;
  for (const auto& [label, item] : parts.value.members())
    if (!is_part(item)) return std::nullopt;
  return kind;
}

Value Reader::node(const Json& json, const Trace* trace) {
  const detail::Descent level = descend(trace);
  count_node(trace);
  const Node parts = fields(json, trace);
  const std::optional<Kind> kind = kind_of_node(parts);
  Value value = kind ? known(*kind, parts, trace) : custom(parts, trace);
  const bool is_scalar = kind && *kind <= Kind::string;
  const bool has_own_keys = kind == Kind::dict;
  if (is_scalar && (parts.others > 0 || parts.keys))
    fail(ErrorCode::invalid_schema, trace,
         "a node of type '" + std::string(parts.type) +
             "' has more fields than data_type and value");
  if (!is_scalar) {
    if (kind && without_module(parts.type) != type_of(*kind))
      value.set_type_name(std::string(parts.type));
    if (parts.others > 0 || (parts.keys && !has_own_keys))
      attributes(value, json, has_own_keys, trace);
  }
  return value;
}

Value Reader::known(Kind kind, const Node& parts, const Trace* trace) {
  switch (kind) {
    case Kind::none:
      if (!parts.value.is(json::Token::null)) wrong(trace, parts.type, "null", parts.value);
      return {};
    case Kind::boolean:
      if (!parts.value.is(json::Token::boolean))
        wrong(trace, parts.type, "true or false", parts.value);
      return parts.value.boolean();
    case Kind::integer: return integer(parts, trace);
    case Kind::floating: return floating(parts, trace);
    case Kind::complex: return complex(parts, trace);
    case Kind::string: return Value(string(parts, trace));
    case Kind::list: return Value::list(items(parts, trace));
    case Kind::tuple: return Value::tuple(items(parts, trace));
    case Kind::set: return set(parts, trace);
    case Kind::dict: return dict(parts, trace);
    case Kind::structure: return structure(parts, trace);
    case Kind::bytes:
    case Kind::tensor: return tensor(kind, parts, trace);
    case Kind::custom: break;
  }
  return custom(parts, trace);
}

std::string_view Reader::string(const Node& parts, const Trace* trace) {
  if (!parts.value.string()) wrong(trace, parts.type, "a string", parts.value);
  return parts.value.text();
}

void Reader::not_a_number(const Node& parts, std::string_view text, const Trace* trace) {
  fail(ErrorCode::invalid_schema, trace,
       "a node of type '" + std::string(parts.type) + "' has a text that is not such a number",
       {.found = "'" + detail::for_message(text, 40) + "'"});
}

Value Reader::integer(const Node& parts, const Trace* trace) const {
  if (parts.value.is(json::Token::number) && parts.value.is_integer())
    return number(parts.value, trace);
  const auto text = parts.value.string();
  if (!text) wrong(trace, parts.type, "digits in a string", parts.value);
  std::int64_t small = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), small);
  if (error == std::errc() && end == text->data() + text->size())
    return small_integer(small, trace);
  const auto digits = detail::parse_integer(*text);
  if (!digits) not_a_number(parts, *text, trace);
  return big_integer(*digits, trace);
}

/// Reads a plain JSON number. As in Python, `1e999` is infinite, but an int has to fit.
double Reader::bare_number(const Node& parts, const Trace* trace) {
  const double value = parts.value.number();
  if (parts.value.is_integer() && std::isinf(value)) not_a_number(parts, parts.value.text(), trace);
  return value;
}

Value Reader::floating(const Node& parts, const Trace* trace) {
  if (parts.value.is(json::Token::number)) return bare_number(parts, trace);
  const auto text = parts.value.string();
  if (!text) wrong(trace, parts.type, "a number in a string", parts.value);
  const auto number = detail::parse_float(*text);
  if (!number) not_a_number(parts, *text, trace);
  return *number;
}

Value Reader::complex(const Node& parts, const Trace* trace) {
  if (parts.value.is(json::Token::number)) return std::complex<double>(bare_number(parts, trace));
  const auto text = parts.value.string();
  if (!text) wrong(trace, parts.type, "a number in a string", parts.value);
  const auto number = detail::parse_complex(*text);
  if (!number) not_a_number(parts, *text, trace);
  return *number;
}

std::vector<Value> Reader::items(const Node& parts, const Trace* trace) {
  if (!parts.value.is(json::Token::array)) wrong(trace, parts.type, "an array", parts.value);
  std::vector<Value> result;
  for (const Json item : parts.value.items()) {
    const Trace step{trace, {}, result.size()};
    result.push_back(node(item, &step));
  }
  return result;
}

Value Reader::set(const Node& parts, const Trace* trace) {
  std::vector<Value> members = items(parts, trace);
  const std::size_t repeated = detail::find_repeated(members);
  if (repeated != detail::Dict::npos) throw detail::repeated_item(members, repeated, trace);
  return Value::set(std::move(members));
}

Value Reader::structure(const Node& parts, const Trace* trace) {
  if (!parts.value.is(json::Token::object)) wrong(trace, parts.type, "an object", parts.value);
  Value result = Value::structure();
  for (const auto& [name, json] : parts.value.members()) {
    const Trace step{trace, name};
    insert(result, std::string(name), node(json, &step), &step);
  }
  return result;
}

void Reader::insert(Value& container, Value key, Value value, const Trace* trace) {
  try {
    container.insert(std::move(key), std::move(value));
  } catch (const Error& error) {
    throw error.with_path(to_string(trace));
  }
}

Value Reader::dict(const Node& parts, const Trace* trace) {
  if (!parts.value.is(json::Token::object)) wrong(trace, parts.type, "an object", parts.value);
  const auto values = parts.value.members();
  if (!parts.keys) fail(ErrorCode::invalid_schema, trace, "a dict has no keys");
  if (!parts.keys->is(json::Token::object))
    fail(ErrorCode::invalid_schema, trace, "keys has the wrong form",
         {.expected = "an object", .found = describe(*parts.keys)});
  const auto keys = parts.keys->members();
  Value result = Value::dict();
  // Python writes both in the same order, so they are walked side by side. From the first
  // difference on, the remaining keys are looked up by label.
  bool in_order = true;
  std::unordered_map<std::string_view, Json, detail::KeyedHash> others;
  std::unordered_set<std::string_view, detail::KeyedHash> labels;
  bool has_other_labels = false;
  auto next = keys.begin();
  for (const auto& [label, json] : values) {
    const Trace step{trace, label};
    if (in_order && (next == keys.end() || (*next).name != label)) {
      in_order = false;
      for (; next != keys.end(); ++next)
        if (!others.emplace((*next).name, (*next).value).second) twice(trace, (*next).name);
    }
    Json key_json;
    if (in_order) {
      key_json = (*next).value;
      ++next;
    } else {
      const auto found = others.find(label);
      if (found == others.end())
        fail(ErrorCode::invalid_schema, &step, "a dict's value has no key");
      key_json = found->second;
      others.erase(found);
    }
    Value key = node(key_json, &step);
    // As long as all keys are strings and equal their labels, `insert` finds duplicates.
    const bool is_own_label = key.kind() == Kind::string && key.as_string() == label;
    if (!is_own_label && labels.empty()) {
      for (const auto& [earlier, unused] : values) {
        if (labels.size() == result.size()) break;
        labels.insert(earlier);
      }
      has_other_labels = true;
    }
    if (has_other_labels && !labels.insert(label).second) twice(&step, label);
    // Python labels a key of a class with its str(), which is known only from the file.
    if (key.kind() > Kind::string) key.set_key_label(std::string(label));
    insert(result, std::move(key), node(json, &step), &step);
  }
  if (in_order ? next != keys.end() : !others.empty())
    fail(ErrorCode::invalid_schema, trace, "a dict has a key without a value");
  return result;
}

Value Reader::tensor(Kind kind, const Node& parts, const Trace* trace) const {
  std::string name(string(parts, trace));
  const std::optional<std::size_t> place = tensors_.find(name);
  if (!place)
    fail(ErrorCode::missing_tensor, trace, "the schema names a tensor that the file does not have",
         {.found = "'" + name + "'"});
  Tensor tensor = tensors_.take(*place);
  if (kind == Kind::bytes && (tensor.dtype() != DType::U8 || tensor.rank() != 1))
    fail(ErrorCode::invalid_schema, trace, "bytes name a tensor of another kind",
         {.expected = "U8 of one dimension",
          .found = std::string(to_string(tensor.dtype())) + " " + to_string(tensor.shape())});
  Value value = kind == Kind::bytes ? Value::bytes(std::move(tensor)) : Value(std::move(tensor));
  value.set_tensor_name(std::move(name));
  return value;
}

Value read(std::string_view text, TensorSource& tensors, const Limits& limits) {
  Value root;
  if (read_direct(text, tensors, limits, root)) return root;
  tensors.restart();
  tensors.note_dtype();
  return Reader(tensors, limits).read(text);
}

Value read(std::string_view text, const TensorLookup& tensors, const Limits& limits) {
  struct Source : TensorSource {
    explicit Source(const TensorLookup& wanted) : lookup(wanted) {}
    void restart() override {}
    std::optional<std::size_t> find(std::string_view name) override {
      found = lookup(name);
      return found ? std::optional<std::size_t>(0) : std::nullopt;
    }
    Tensor take(std::size_t) override { return *std::exchange(found, std::nullopt); }
    const TensorLookup& lookup;
    std::optional<Tensor> found;
  };
  Source source(tensors);
  // The general reader says where the text is invalid.
  if (!detail::is_utf8(text)) return Reader(source, limits).read(text);
  return read(text, source, limits);
}

}  // namespace safestructures::inline v0::schema
