/// \file
/// A type is documented as JSON Schema.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/formats/json_schema.hpp>

namespace ss = safestructures;
using nlohmann::json;

namespace {

enum class Color { red, green };
enum class Nameless : std::uint8_t {};
struct Layer {
  std::string name;
  std::vector<std::array<float, 3>> points;
  std::optional<float> dropout;
  Color color;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::string, std::unique_ptr<Model>> parts;
};
struct Nest {};
struct Money {};
namespace other {
struct Layer {
  int depth = 2;
};
}  // namespace other

/// The schema without its version and definitions.
template <class T>
std::string body() {
  json schema = json::parse(ss::json_schema<T>());
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  schema.erase("$schema");
  schema.erase("$defs");
  return schema.dump();
}

}  // namespace

template <>
struct safestructures::Codec<Nest> {
  static void describe_type(TypeDescriber& type) { type.list<Nest>(); }
  static Value encode(const Nest&, Encoder&) { return Value::list(); }
};
template <>
struct safestructures::Codec<Money> {
  static constexpr std::string_view type_name = "acme/\"Money\"";
  static void describe_type(TypeDescriber& type) { type.integer(ss::DType::I64); }
  static Value encode(const Money&, Encoder&) { return 1; }
};
template <>
struct safestructures::Rules<other::Layer> {
  static constexpr auto fields =
      ss::fields(ss::field("depth").rename("d\n\"eep\"").alias("a").alias("b").optional());
};

TEST_CASE("a structure is documented whole") {
  CHECK(ss::json_schema<Model>() == R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$ref": "#/$defs/Model",
  "$defs": {
    "Model": {"title": "Model", "type": "object", "properties": {"layers": {"type": "array", "items": {"$ref": "#/$defs/Layer"}}, "parts": {"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/$defs/Model"}, {"type": "null"}]}}}, "required": ["layers", "parts"]},
    "Layer": {"title": "Layer", "type": "object", "properties": {"name": {"type": "string"}, "points": {"description": "tensor F32 [any, 3]", "type": "array", "items": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}}, "dropout": {"anyOf": [{"type": "number"}, {"type": "null"}]}, "color": {"$ref": "#/$defs/Color"}}, "required": ["name", "points", "color"]},
    "Color": {"title": "Color", "enum": ["red", "green"]}
  }
}
)");
}

TEST_CASE("every kind of type has its schema") {
  CHECK(body<ss::Value>() == "{}");
  CHECK(body<std::monostate>() == R"({"type":"null"})");
  CHECK(body<bool>() == R"({"type":"boolean"})");
  CHECK(body<std::int8_t>() == R"({"maximum":127,"minimum":-128,"type":"integer"})");
  CHECK(body<std::uint64_t>() ==
        R"({"maximum":18446744073709551615,"minimum":0,"type":"integer"})");
  CHECK(body<double>() == R"({"type":"number"})");
  CHECK(body<std::complex<float>>() ==
        R"({"maxItems":2,"minItems":2,"prefixItems":[{"type":"number"},{"type":"number"}],)"
        R"("type":"array"})");
  CHECK(body<char>() == R"({"maxLength":1,"minLength":1,"type":"string"})");
  CHECK(body<std::vector<std::byte>>() ==
        R"({"contentEncoding":"base64","description":"bytes","type":"string"})");
  CHECK(body<std::array<std::string, 2>>() ==
        R"({"items":{"type":"string"},"maxItems":2,"minItems":2,"type":"array"})");
  CHECK(body<std::vector<bool>>() ==
        R"({"description":"tensor BOOL [any]","items":{"type":"boolean"},"type":"array"})");
  CHECK(body<std::vector<int>>() ==
        R"({"description":"tensor I32 [any]","items":{"type":"integer"},"type":"array"})");
  CHECK(body<Nameless>() == body<std::uint8_t>());
  CHECK(body<std::tuple<>>() == R"({"maxItems":0,"minItems":0,"type":"array"})");
  CHECK(body<std::set<bool>>() ==
        R"({"items":{"type":"boolean"},"type":"array","uniqueItems":true})");
  CHECK(body<std::map<bool, std::string>>() ==
        R"({"items":{"maxItems":2,"minItems":2,"prefixItems":[{"type":"boolean"},)"
        R"({"type":"string"}],"type":"array"},"type":"array"})");
  CHECK(body<std::map<Color, std::string>>() ==
        R"({"additionalProperties":{"type":"string"},"propertyNames":{"$ref":"#/$defs/Color"},)"
        R"("type":"object"})");
  CHECK(body<std::variant<bool, std::string>>() ==
        R"({"anyOf":[{"type":"boolean"},{"type":"string"}]})");
  CHECK(body<std::chrono::duration<double>>() ==
        R"({"properties":{"seconds":{"type":"number"}},"required":["seconds"],"type":"object"})");
  CHECK(body<ss::Tensor>() == R"({"description":"tensor"})");
  CHECK(body<std::vector<std::complex<float>>>() ==
        R"({"description":"tensor C64 [any]","items":{"maxItems":2,"minItems":2,"prefixItems":)"
        R"([{"type":"number"},{"type":"number"}],"type":"array"},"type":"array"})");
}

TEST_CASE("types that hold themselves without a name are defined as well") {
  const json schema = json::parse(ss::json_schema<Nest>());
  CHECK(schema["$ref"] == "#/$defs/list");
  CHECK(schema["$defs"]["list"].dump() == R"({"items":{"$ref":"#/$defs/list"},"type":"array"})");
}

TEST_CASE("types of one name are told apart, and any name is valid JSON") {
  const json schema = json::parse(ss::json_schema<std::tuple<Layer, other::Layer, Money>>());
  CHECK(schema["prefixItems"].dump() ==
        R"([{"$ref":"#/$defs/Layer"},{"$ref":"#/$defs/Layer_2"},{"$ref":"#/$defs/acme__Money_"}])");
  CHECK(schema["$defs"]["Layer_2"]["title"] == "Layer");
  const json& field = schema["$defs"]["Layer_2"]["properties"]["d\n\"eep\""];
  CHECK(field["$comment"] == "also loaded as a, b");
  CHECK(field["allOf"][0]["type"] == "integer");
  CHECK_FALSE(schema["$defs"]["Layer_2"].contains("required"));
  const json& money = schema["$defs"]["acme__Money_"];
  CHECK(money["properties"]["data_type"]["const"] == "acme/\"Money\"");
  CHECK(money["properties"]["value"]["type"] == "integer");
}
