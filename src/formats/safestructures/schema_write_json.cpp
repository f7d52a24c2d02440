#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/value.hpp>
#include "data/limit.hpp"
#include "data/text/number.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "formats/safestructures/schema_writer.hpp"

namespace safestructures::inline v0::schema {

/// Writes plain JSON: the inside of custom payloads and attributes.
void Writer::plain(const Value& value, const Trace* trace) {
  count_node(trace);
  switch (value.kind()) {
    case Kind::none: return text_.add("null");
    case Kind::boolean: return text_.add(value.as_bool() ? "true" : "false");
    case Kind::string: return text_.add_string(value.as_string(), trace);
    case Kind::integer:
    case Kind::floating: return plain_number(value, trace);
    case Kind::tensor: return text_.add_string(tensor(value, trace), trace);
    case Kind::list: return plain_list(value, trace);
    case Kind::dict: return plain_dict(value, trace);
    default:
      throw Error(ErrorCode::invalid_argument, "a value of this type cannot be plain JSON",
                  {.path = to_string(trace),
                   .expected = "None, bool, int, float, str, tensor, list or dict",
                   .found = std::string(to_string(value.kind()))});
  }
}

/// Writes a number. NaN and infinity are words, as Python writes and reads them.
void Writer::plain_number(const Value& value, const Trace* trace) {
  if (value.kind() == Kind::integer) return integer(value, trace);
  const double number = value.as_double();
  if (std::isfinite(number)) return text_.add_float(number);
  text_.add(std::isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity");
}

/// Writes an item of a plain container, which holds plain values and nodes; in an attribute only
/// tensors, bytes and custom values are nodes.
void Writer::plain_item(const Value& value, const Trace& step) {
  const detail::Descent level(depth_, options_.limits.depth, &step);
  const Kind kind = value.kind();
  const bool is_node = kind == Kind::tensor || kind == Kind::bytes || kind == Kind::custom;
  // Its name alone would be read as a str; only a name that is the whole payload leads to the
  // tensor.
  if (value.is_plain() && kind == Kind::tensor)
    throw Error(ErrorCode::invalid_argument, "a tensor inside plain JSON is marked as plain",
                {.path = to_string(&step),
                 .expected = "a tensor with a node",
                 .found = describe(value),
                 .advice = "Do not mark it: no plain(), and in JSON no $plain around it"});
  if (value.is_plain() || (in_attribute_ && !is_node)) return plain(value, &step);
  const bool outer = std::exchange(in_attribute_, false);
  node(value, &step);
  in_attribute_ = outer;
}

void Writer::plain_list(const Value& value, const Trace* trace) {
  text_.add("[");
  std::size_t index = 0;
  for (const Value& item : value.items()) {
    if (index > 0) text_.add(", ");
    plain_item(item, {trace, {}, index});
    ++index;
  }
  text_.add("]");
}

/// Returns whether a plain dict would be read as a node; see `Reader::is_node`.
bool Writer::is_like_node(const Value& dict) const {
  const Value* const type = dict.find(schema_type);
  const Value* const value = dict.find(schema_value);
  const auto is_text = [this](const Value* part, Kind kind) {
    return part != nullptr && part->kind() == kind && (part->is_plain() || in_attribute_);
  };
  if (!is_text(type, Kind::string) || value == nullptr) return false;
  if (!in_attribute_) return true;
  const Kind kind = kind_of(type->as_string()).value_or(Kind::custom);
  const bool names =
      is_text(value, Kind::string) || (value->is_plain() && value->kind() == Kind::tensor);
  return names && (kind == Kind::tensor || kind == Kind::bytes || kind == Kind::custom);
}

void Writer::plain_dict(const Value& value, const Trace* trace) {
  if (is_like_node(value))
    throw Error(ErrorCode::invalid_argument, "a plain dict has the form of a node",
                {.path = to_string(trace),
                 .expected = "no dict with 'data_type' and 'value'",
                 .found = "data_type '" + value.find(schema_type)->as_string() + "'",
                 .advice = "Rename the keys, or do not make the dict plain"});
  text_.add("{");
  bool first = true;
  for (const Entry& entry : value.entries()) {
    if (!std::exchange(first, false)) text_.add(", ");
    if (entry.key.kind() != Kind::string)
      throw Error(
          ErrorCode::invalid_argument, "a key of this type cannot be plain JSON",
          {.path = to_string(trace), .expected = "a str", .found = detail::python_str(entry.key)});
    text_.add_string(entry.key.as_string(), trace);
    text_.add(": ");
    plain_item(entry.value, {trace, entry.key.as_string()});
  }
  text_.add("}");
}

}  // namespace safestructures::inline v0::schema
