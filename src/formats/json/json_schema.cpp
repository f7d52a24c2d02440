#include <safestructures/formats/json_schema.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "data/text/json_text.hpp"

namespace safestructures::inline v0 {
namespace {

std::string json_string(std::string_view text) { return json::quote(text, json::Escapes::unsafe); }

/// The members of an object: names and JSON texts; those with an empty text are left out.
using Members = std::vector<std::pair<std::string_view, std::string>>;
std::string object(const Members& members) {
  std::string json;
  for (const auto& [name, value] : members) {
    if (value.empty()) continue;
    json += (json.empty() ? "" : ", ") + json_string(name) + ": " + value;
  }
  return "{" + json + "}";
}

template <class Parts, class Text>
std::string array(const Parts& parts, const Text& text_of) {
  std::string json;
  for (const auto& part : parts) json += (json.empty() ? "" : ", ") + text_of(part);
  return "[" + json + "]";
}

std::string type_named(std::string_view name) { return object({{"type", json_string(name)}}); }

/// Returns the text of a size, or an empty one if there is no bound.
std::string bound(std::uint64_t size, std::uint64_t none) {
  return size == none ? std::string() : std::to_string(size);
}

std::string array_of(const std::string& items, Extent size, std::string description = {}) {
  return object({{"description", std::move(description)},
                 {"type", json_string("array")},
                 {"items", items},
                 {"minItems", bound(size.min, 0)},
                 {"maxItems", bound(size.max, Extent().max)}});
}

Extent extent_of(const std::optional<std::uint64_t>& size) {
  return size ? Extent::fixed(*size) : Extent();
}

std::string tuple_of(const std::vector<std::string>& items) {
  const std::string count = std::to_string(items.size());
  return object(
      {{"type", json_string("array")},
       {"prefixItems",
        items.empty() ? std::string() : array(items, [](const auto& item) { return item; })},
       {"minItems", count},
       {"maxItems", count}});
}

std::string number_of(DType dtype) {
  if (dtype == DType::BOOL) return type_named("boolean");
  return type_named(is_integer(dtype) ? "integer" : "number");
}

std::string integer(const TypeInfo& type) {
  if (type.bits == 0 || type.bits > 64) return type_named("integer");
  const unsigned magnitude = type.bits - (type.is_signed ? 1 : 0);
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - magnitude);
  return object({{"type", json_string("integer")},
                 {"minimum", type.is_signed ? "-" + std::to_string(most + 1) : "0"},
                 {"maximum", std::to_string(most)}});
}

std::string string(const TypeInfo& type) {
  const std::string length = type.size ? std::to_string(*type.size) : std::string();
  return object({{"type", json_string("string")}, {"minLength", length}, {"maxLength", length}});
}

std::string bytes(const TypeInfo& type) {
  return object({{"description", json_string(to_string(type))},
                 {"type", json_string("string")},
                 {"contentEncoding", json_string("base64")}});
}

std::string tensor(const TypeInfo& type) {
  std::string json = type.dtype ? number_of(*type.dtype) : object({});
  if (type.dtype == DType::C64) json = tuple_of({type_named("number"), type_named("number")});
  // Any rank: numbers, or arrays nested to any depth.
  if (!type.shape) return object({{"description", json_string(to_string(type))}});
  if (type.shape->empty()) return json;
  for (std::size_t i = type.shape->size(); i > 1; --i) json = array_of(json, (*type.shape)[i - 1]);
  return array_of(json, type.shape->front(), json_string(to_string(type)));
}

/// Writes the schema of one type and the definitions that it needs.
class Writer {
 public:
  explicit Writer(const TypeInfo& root) {
    find_definitions(root);
    std::string definitions;
    for (const TypeInfo* type : order_)
      definitions += (definitions.empty() ? "\n    " : ",\n    ") + json_string(names_.at(type)) +
                     ": " + definition(*type);
    std::string body = schema(root);
    // Without its braces, to be placed among the other members.
    body = body.substr(1, body.size() - 2);
    text_ = "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\"";
    if (!body.empty()) text_ += ",\n  " + body;
    if (!definitions.empty()) text_ += ",\n  \"$defs\": {" + definitions + "\n  }";
    text_ += "\n}\n";
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  /// Defines every named or recursive type, each once.
  void find_definitions(const TypeInfo& type) {
    if (path_.contains(&type)) define(type);
    if (!seen_.insert(&type).second) return;
    if (type.kind == TypeKind::structure || type.kind == TypeKind::custom ||
        (type.kind == TypeKind::enumeration && !type.enumerators.empty()))
      define(type);
    path_.insert(&type);
    if (type.key != nullptr && type.fields.empty()) find_definitions(*type.key);
    if (type.item != nullptr && type.kind != TypeKind::tensor) find_definitions(*type.item);
    for (const TypeInfo* item : type.items) find_definitions(*item);
    for (const TypeField& field : type.fields) find_definitions(*field.type);
    path_.erase(&type);
  }

  void define(const TypeInfo& type) {
    if (names_.contains(&type)) return;
    std::string name = type.name.empty() ? std::string(to_string(type.kind)) : type.name;
    // The name is used in references, which are URIs.
    for (char& c : name) {
      const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
      if (!is_plain) c = '_';
    }
    const std::string first = name;
    for (int i = 2; !taken_.insert(name).second; ++i) name = first + "_" + std::to_string(i);
    names_.emplace(&type, name);
    order_.push_back(&type);
  }

  [[nodiscard]] std::string schema(const TypeInfo& type) const {
    const auto name = names_.find(&type);
    if (name == names_.end()) return definition(type);
    return object({{"$ref", json_string("#/$defs/" + name->second)}});
  }

  [[nodiscard]] std::string any_of(const std::vector<const TypeInfo*>& types,
                                   const std::string& last = {}) const {
    std::vector<std::string> schemas;
    schemas.reserve(types.size() + 1);
    for (const TypeInfo* type : types) schemas.push_back(schema(*type));
    if (!last.empty()) schemas.push_back(last);
    return object({{"anyOf", array(schemas, [](const auto& one) { return one; })}});
  }

  [[nodiscard]] std::string fields(const TypeInfo& type) const {
    Members properties;
    std::vector<std::string> required;
    for (const TypeField& field : type.fields) {
      properties.emplace_back(field.name, property(field));
      if (!field.is_optional) required.push_back(json_string(field.name));
    }
    return object(
        {{"title", type.name.empty() ? std::string() : json_string(type.name)},
         {"type", json_string("object")},
         {"properties", object(properties)},
         {"required", required.empty() ? std::string()
                                       : array(required, [](const auto& name) { return name; })}});
  }

  [[nodiscard]] std::string property(const TypeField& field) const {
    std::string json = schema(*field.type);
    if (field.aliases.empty()) return json;
    std::string comment = "also loaded as";
    for (const std::string& alias : field.aliases)
      comment += (&alias == field.aliases.data() ? " " : ", ") + alias;
    return object({{"$comment", json_string(comment)}, {"allOf", "[" + json + "]"}});
  }

  [[nodiscard]] std::string tuple(const TypeInfo& type) const {
    std::vector<std::string> items;
    items.reserve(type.items.size());
    for (const TypeInfo* item : type.items) items.push_back(schema(*item));
    return tuple_of(items);
  }

  [[nodiscard]] std::string set(const TypeInfo& type) const {
    return object(
        {{"type", json_string("array")}, {"items", schema(*type.item)}, {"uniqueItems", "true"}});
  }

  /// An object if its keys are text, otherwise an array of pairs.
  [[nodiscard]] std::string dict(const TypeInfo& type) const {
    if (!type.fields.empty()) return fields(type);
    const bool has_names = type.key->kind == TypeKind::enumeration;
    if (!has_names && type.key->kind != TypeKind::string)
      return array_of(tuple_of({schema(*type.key), schema(*type.item)}), Extent());
    return object({{"type", json_string("object")},
                   {"propertyNames", has_names ? schema(*type.key) : std::string()},
                   {"additionalProperties", schema(*type.item)}});
  }

  [[nodiscard]] std::string custom(const TypeInfo& type) const {
    return object(
        {{"title", json_string(type.name)},
         {"type", json_string("object")},
         {"properties", object({{"data_type", object({{"const", json_string(type.name)}})},
                                {"value", schema(*type.item)}})},
         {"required", R"(["data_type", "value"])"}});
  }

  [[nodiscard]] std::string enumeration(const TypeInfo& type) const {
    if (type.enumerators.empty()) return schema(*type.item);
    return object({{"title", json_string(type.name)},
                   {"enum", array(type.enumerators, [](const TypeEnumerator& one) {
                      return json_string(one.name);
                    })}});
  }

  [[nodiscard]] std::string definition(const TypeInfo& type) const {
    switch (type.kind) {
      case TypeKind::any: return object({});
      case TypeKind::none: return type_named("null");
      case TypeKind::boolean: return type_named("boolean");
      case TypeKind::integer: return integer(type);
      case TypeKind::floating: return type_named("number");
      case TypeKind::complex: return tuple_of({type_named("number"), type_named("number")});
      case TypeKind::string: return string(type);
      case TypeKind::bytes: return bytes(type);
      case TypeKind::list: return array_of(schema(*type.item), extent_of(type.size));
      case TypeKind::tuple: return tuple(type);
      case TypeKind::set: return set(type);
      case TypeKind::dict: return dict(type);
      case TypeKind::structure: return fields(type);
      case TypeKind::tensor: return tensor(type);
      case TypeKind::custom: return custom(type);
      case TypeKind::enumeration: return enumeration(type);
      case TypeKind::optional:
      case TypeKind::pointer: return any_of({type.item}, type_named("null"));
      case TypeKind::variant: return any_of(type.items);
    }
    return object({});
  }

  std::string text_;
  std::set<const TypeInfo*> seen_;
  std::set<const TypeInfo*> path_;
  std::set<std::string> taken_;
  std::map<const TypeInfo*, std::string> names_;
  std::vector<const TypeInfo*> order_;
};

}  // namespace

std::string json_schema(const TypeInfo& type) { return Writer(type).text(); }

}  // namespace safestructures::inline v0
