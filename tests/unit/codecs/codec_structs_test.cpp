/// \file
/// Plain structs: fields by name, with the rules of their type.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <safestructures/data/type_info.hpp>
#include "support/codec.hpp"

namespace ss = safestructures;
using codec_test::error_of;
using codec_test::load_error;
using codec_test::round_trip;
using codec_test::to_value;
using ss::Kind;
using ss::Value;

namespace {

struct Empty {
  friend bool operator==(const Empty&, const Empty&) = default;
};
struct Layer {
  std::string name;
  std::vector<float> weight;
  std::optional<float> dropout;
  friend bool operator==(const Layer&, const Layer&) = default;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::int64_t, std::string> labels;
  Empty nothing;
  friend bool operator==(const Model&, const Model&) = default;
};

class Positive {
 public:
  explicit Positive(int value) : value_(value) {}
  [[nodiscard]] int value() const { return value_; }

 private:
  int value_;
};
struct Strict {
  Positive first;
  std::unique_ptr<int> second;
  const int third;
};
struct Arrays {
  int before;
  float matrix[2][2];
  std::string words[2];
  int after;
};

struct Ruled {
  int weight = 0;
  int cache = 7;
  int bias = 3;
};
struct Excused {
  int rate = 1;
  std::optional<int> dropout = 5;
  std::optional<int> none = 6;
};
struct Short {
  int xa = 0;
  std::vector<float> xw;
};
struct Versioned {
  std::string full_name;
};
struct Throwing {
  int value = 0;
};
struct Lost {
  int value = 0;
};
struct Wide {
  int a, b, c, d, e, f, g, h, i, j;
  friend bool operator==(const Wide&, const Wide&) = default;
};

}  // namespace

template <>
struct safestructures::Codec<Positive> {
  static Value encode(const Positive& positive, Encoder&) { return Value(positive.value()); }
  static Positive decode(const Value& value, Decoder& decoder) {
    const int number = decoder.decode<int>(value);
    if (number <= 0) decoder.fail(ErrorCode::out_of_range, "not positive");
    return Positive(number);
  }
};
template <>
struct ss::Rules<Excused> {
  static constexpr auto fields = ss::fields(ss::field("dropout").optional());
};
template <>
struct ss::Rules<Short> {
  static constexpr auto fields = ss::fields(ss::field("xa").alias("xb"));
};

template <>
struct safestructures::Rules<Ruled> {
  static constexpr std::string_view name = "acme.Ruled";
  static constexpr auto fields =
      ss::fields(ss::field("weight").rename("w").alias("kernel").alias("k"),
                 ss::field("cache").skip(), ss::field("bias").optional());
};
template <>
struct safestructures::Rules<Versioned> {
  static constexpr unsigned version = 2;
  static void migrate(Value& value, unsigned from_version) {
    if (from_version >= 2) return;
    const std::string last = value.erase("last")->as_string();
    value.insert_or_assign("full_name", value.erase("first")->as_string() + " " + last);
  }
};
template <>
struct safestructures::Rules<Throwing> {
  static constexpr unsigned version = 1;
  static void migrate(Value&, unsigned) { throw std::runtime_error("no way back"); }
};
template <>
struct safestructures::Rules<Lost> {
  static constexpr unsigned version = 1;
  static void migrate(Value& value, unsigned) { value = Value(5); }
};

TEST_CASE("a struct is its fields in order, under its class name") {
  const Layer layer{"a", {1, 2}, {}};
  const Value value = Value::from(layer);
  CHECK(value.kind() == Kind::structure);
  CHECK(value.type_name() == "Layer");
  CHECK(value ==
        Value::structure(
            "Layer", {{"name", "a"}, {"weight", Value::from(layer.weight)}, {"dropout", nullptr}}));
  CHECK(value.attributes().empty());
}

TEST_CASE("nested structs come back") {
  const Model model{{{"a", {1}, 0.5F}, {"b", {}, {}}}, {{-1, "x"}, {5, "y"}}, {}};
  CHECK(round_trip(model) == model);
  CHECK(round_trip(Empty()) == Empty());
}

TEST_CASE("fields may be without default, move-only and const") {
  const Value value = to_value(Strict{Positive(5), std::make_unique<int>(6), 7});
  const Strict loaded = value.as<Strict>();
  CHECK(loaded.first.value() == 5);
  CHECK(*loaded.second == 6);
  CHECK(loaded.third == 7);
}

TEST_CASE("C arrays are fields as well") {
  const Arrays arrays{1, {{1, 2}, {3, 4}}, {"a", "b"}, 2};
  const Value value = to_value(arrays);
  CHECK(value["matrix"].tensor().shape() == ss::Shape{2, 2});
  const Arrays loaded = value.as<Arrays>();
  CHECK(loaded.matrix[1][0] == 3);
  CHECK(loaded.words[1] == "b");
  CHECK(loaded.after == 2);
}

TEST_CASE("a struct loads from a struct of any name, a dict, and a custom mapping") {
  const Value dict = Value::dict({{"name", "a"}, {"weight", Value::list({1})}});
  const Layer expected{"a", {1}, {}};
  CHECK(dict.as<Layer>() == expected);
  CHECK(Value::custom("transformers.ModelOutput", dict).as<Layer>() == expected);
  CHECK(Value::structure("Other", {{"weight", Value::list({1})}, {"name", "a"}}).as<Layer>() ==
        expected);
  CHECK(
      load_error<Layer>(Value::list({1})) ==
      "type_mismatch: at /: a value has the wrong type: expected struct Layer or dict, found list "
      "of 1.");
}

TEST_CASE("many fields are found by name, in whatever order they come") {
  const Wide wide{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const Value value = Value::from(wide);
  CHECK(value.size() == 10);
  CHECK(value["i"] == Value(9));
  CHECK(value.as<Wide>() == wide);
  std::vector<ss::Entry> entries = value.entries();
  std::ranges::reverse(entries);
  CHECK(Value::structure("Wide", entries).as<Wide>() == wide);
  std::rotate(entries.begin(), entries.begin() + 3, entries.end());
  entries.insert(entries.begin() + 1, {Value(1), "no name"});
  CHECK(Value::dict(entries).as<Wide>() == wide);
}

TEST_CASE("rules name, skip and excuse fields") {
  const Value value = Value::from(Ruled{1, 2, 4});
  CHECK(value == Value::structure("acme.Ruled", {{"w", 1}, {"bias", 4}}));
  const auto loaded = value.as<Ruled>();
  CHECK(loaded.weight == 1);
  CHECK(loaded.cache == 7);
  CHECK(loaded.bias == 4);
  CHECK(Value::dict({{"kernel", 5}}).as<Ruled>().weight == 5);
  CHECK(Value::dict({{"k", 6}}).as<Ruled>().bias == 3);
  CHECK(Value::dict({{"k", 6}, {"w", 5}}).as<Ruled>().weight == 5);
}

TEST_CASE("a missing std::optional is empty, or by its rule keeps its default") {
  const auto loaded = Value::dict({{"rate", 2}}).as<Excused>();
  CHECK(loaded.rate == 2);
  CHECK(loaded.dropout == 5);
  CHECK_FALSE(loaded.none);
  CHECK_FALSE(Value::dict({{"rate", 2}, {"dropout", nullptr}}).as<Excused>().dropout);
  const auto& fields = ss::type_info<Excused>().fields;
  CHECK(fields[1].has_default);
  CHECK_FALSE(fields[2].has_default);
}

TEST_CASE("a missing field is an error with those that are there") {
  CHECK(load_error<Layer>(Value::dict({{"name", "a"}, {"wieght", 1}})) ==
        "missing_field: at /: struct Layer lacks a field: expected 'weight', found 'name', "
        "'wieght'. If 'wieght' is meant, give 'weight' that alias in Rules<Layer>.");
  // What leads to another field, by its name or an alias, is not meant.
  CHECK(load_error<Short>(Value::dict({{"xa", 1}, {"xu", 1}})) ==
        "missing_field: at /: struct Short lacks a field: expected 'xw', found 'xa', 'xu'. If "
        "'xu' is meant, give 'xw' that alias in Rules<Short>.");
  for (const std::string name : {"xa", "xb"})
    CHECK(load_error<Short>(Value::dict({{name, 1}})) ==
          "missing_field: at /: struct Short lacks a field: expected 'xw', found '" + name +
              "'. If it may be missing, make it a std::optional or give it a rule optional() in "
              "Rules<Short>.");
  CHECK(load_error<Model>(Value::dict({{"layers", Value::list({Value::dict()})}})) ==
        "missing_field: at /layers/0: struct Layer lacks a field: expected 'name', found no field. "
        "If it may be missing, make it a std::optional or give it a rule optional() in "
        "Rules<Layer>.");
}

TEST_CASE("unknown fields are passed over, or refused on demand") {
  const Value value = Value::dict({{"w", 1}, {"bais", 2}});
  CHECK(value.as<Ruled>().bias == 3);
  CHECK(load_error<Ruled>(value, {.refuse_unknown_fields = true}) ==
        "unknown_field: at /: struct acme.Ruled has no such field: expected 'w', 'bias', found "
        "'bais'. Perhaps 'bias' is meant.");
  CHECK(load_error<Ruled>(Value::dict({{"w", 1}, {"cache", 2}}), {.refuse_unknown_fields = true})
            .starts_with("unknown_field"));
  CHECK(load_error<Empty>(Value::dict({{5, 1}}), {.refuse_unknown_fields = true}) ==
        "unknown_field: at /: struct Empty has no such field: expected no field, found '5'. Set "
        "refuse_unknown_fields to false to ignore it.");
  CHECK(Value::dict({{"kernel", 1}}).as<Ruled>({.refuse_unknown_fields = true}).weight == 1);
}

TEST_CASE("an older class version is migrated, a newer one refused") {
  Value value = Value::from(Versioned{"Ada Lovelace"});
  CHECK(*value.attribute("class_version") == Value(2));
  CHECK(value.as<Versioned>().full_name == "Ada Lovelace");
  const Value old = Value::structure("Versioned", {{"first", "Ada"}, {"last", "Lovelace"}});
  CHECK(old.as<Versioned>().full_name == "Ada Lovelace");
  CHECK(old.find("first") != nullptr);  // The value that is loaded from stays as it is.
  value.set_attribute("class_version", Value(3));
  CHECK(
      load_error<Versioned>(value) ==
      "unsupported_version: at /: struct Versioned is of a newer version: expected class version 2 "
      "or older, found class version 3. Load it with the newer program that wrote it, or a newer "
      "version of this one.");
  value.set_attribute("class_version", Value("two"));
  CHECK(load_error<Versioned>(value) ==
        "invalid_schema: at /: a class version is not a number: expected an int, 0 or larger, in "
        "the attribute \"class_version\", found str \"two\".");
  value.set_attribute("class_version", Value(-1));
  CHECK(load_error<Versioned>(value).ends_with("\"class_version\", found int -1."));
  CHECK(load_error<Throwing>(Value::dict({{"value", 1}})) ==
        "plugin_failed: at /: the codec of 'Throwing' failed: found no way back.");
  CHECK(load_error<Lost>(Value::dict({{"value", 1}})) ==
        "type_mismatch: at /: a value has the wrong type: expected struct Lost or dict from its "
        "migration, found int 5.");
}

TEST_CASE("an error deep inside names its path") {
  Value value = Value::from(Model{{{"a", {1}, {}}, {"b", {2}, {}}}, {{5, "x"}}, {}});
  value.at("/layers/1").insert_or_assign("weight", "none");
  CHECK(load_error<Model>(value) ==
        "type_mismatch: at /layers/1/weight: a value has the wrong type: expected a tensor, or a "
        "list, tuple or set of numbers, found str \"none\".");
  CHECK(load_error<Strict>(Value::dict({{"first", -1}, {"second", 1}, {"third", 1}})) ==
        "out_of_range: at /first: not positive.");
}
