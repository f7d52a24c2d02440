/// \file
/// JSON as a format: what stands for what, that nothing is lost, and what is refused to be saved.
/// What is malformed is in json_malformed_test.cpp.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/folder.hpp"
#include "support/json_cases.hpp"

namespace ss = safestructures;
using ss::test::again;
using ss::test::compact;
using ss::test::compact_base64;
using ss::test::error_of;
using ss::test::load_json;
using ss::test::save_json;
using ss::test::saved;

namespace {

struct Weights {
  std::map<std::string, std::string> weight_map;
  bool operator==(const Weights&) const = default;
};
struct Job {
  std::string name;
  std::string format;
  bool operator==(const Job&) const = default;
};

}  // namespace

TEST_CASE("what JSON has is written as JSON has it") {
  CHECK(saved(nullptr) == "null");
  CHECK(saved(true) == "true");
  CHECK(saved(-12) == "-12");
  CHECK(saved(ss::Value::integer("123456789012345678901234567890")) ==
        "123456789012345678901234567890");
  CHECK(saved(1.0) == "1.0");
  CHECK(saved(0.1) == "0.1");
  CHECK(saved(-0.0) == "-0.0");
  CHECK(saved(1e300) == "1e+300");
  CHECK(saved("a\"\\\n\x01 \xC3\xA9") == "\"a\\\"\\\\\\n\\u0001 \xC3\xA9\"");
  CHECK(saved(ss::Value::list({1, 2.5, "x"})) == R"([1,2.5,"x"])");
  CHECK(saved(ss::Value::dict({{"b", 1}, {"a", ss::Value::dict()}})) == R"({"b":1,"a":{}})");
}

TEST_CASE("everything else is an object whose first member says what it stands for") {
  CHECK(saved(std::numeric_limits<double>::infinity()) == R"({"$float":"inf"})");
  CHECK(saved(-std::numeric_limits<double>::infinity()) == R"({"$float":"-inf"})");
  CHECK(saved(std::numeric_limits<double>::quiet_NaN()) == R"({"$float":"nan"})");
  CHECK(saved(std::complex<double>(1, -2.5)) == R"({"$complex":[1,-2.5]})");
  CHECK(saved(std::complex<double>(-0.0, 0)) == R"({"$complex":[-0.0,0]})");
  CHECK(saved(ss::Value::bytes(std::as_bytes(std::span("abcd", 4)))) == R"({"$bytes":"YWJjZA=="})");
  CHECK(saved(ss::Value::tuple({1, "x"})) == R"({"$tuple":[1,"x"]})");
  CHECK(saved(ss::Value::set({1, 2})) == R"({"$set":[1,2]})");
  CHECK(saved(ss::Value::dict({{1, "x"}, {"$a", 2}})) == R"({"$dict":[[1,"x"],["$a",2]]})");
  CHECK(saved(ss::Value::structure("Layer", {{"a", 1}})) == R"({"$struct":"Layer","a":1})");
  CHECK(saved(ss::Value::structure("L", {{"$a", 1}, {"b", 2}})) ==
        R"({"$struct":"L","$fields":{"$a":1,"b":2}})");
  CHECK(saved(ss::Value::custom("acme.Pose", 1)) == R"({"$custom":"acme.Pose","value":1})");
  CHECK(saved(ss::Tensor::own<std::int32_t>({1, 2, 3, 4}, {2, 2})) ==
        R"({"$tensor":"I32","shape":[2,2],"data":[[1,2],[3,4]]})");
  CHECK(save_json(ss::Tensor::own<std::int16_t>({1, -1}), compact_base64) ==
        R"({"$tensor":"I16","shape":[2],"data":{"base64":"AQD//w=="}})");
}

TEST_CASE("type names and attributes are written next to the value") {
  ss::Value list = ss::Value::list({1});
  list.set_type_name("acme.List");
  list.set_attribute("unit", "m");
  CHECK(saved(list) == R"({"$list":[1],"$type":"acme.List","$attributes":{"unit":"m"}})");
  const ss::Value loaded = load_json(saved(list));
  CHECK(loaded.type_name() == "acme.List");
  CHECK(loaded.attribute("unit")->as_string() == "m");
  CHECK(loaded.attribute("unit")->is_plain());

  ss::Value layer = ss::Value::structure("Layer", {{"a", 1}});
  layer.set_attribute("class_version", 3);
  CHECK(saved(layer) == R"({"$struct":"Layer","a":1,"$attributes":{"class_version":3}})");
  CHECK(saved(layer, {.extensions = false}) == R"({"$struct":"","a":1})");
  // Of a custom value they are a part, as in Python's files.
  ss::Value money = ss::Value::custom("acme.Money", 5);
  money.set_attribute("unit", "m");
  CHECK(saved(money, {.extensions = false}) == saved(money));
  CHECK(ss::load(ss::save(money, {.extensions = false})) == money);
}

TEST_CASE("the pretty form has a row of a tensor on each line") {
  const ss::Value value =
      ss::Value::dict({{"w", ss::Tensor::own<float>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2})},
                       {"scalar", ss::Tensor::own<float>({1.5F}, {})},
                       {"numbers", ss::Value::list({1, 2})},
                       {"items", ss::Value::list({"a", ss::Value::dict({{"b", nullptr}})})},
                       {"empty", ss::Value::list()}});
  CHECK(save_json(value, {}) ==
        "{\n"
        "  \"w\": {\"$tensor\": \"F32\", \"shape\": [2, 2, 2], \"data\": [\n"
        "    [\n"
        "      [1, 2],\n"
        "      [3, 4]\n"
        "    ],\n"
        "    [\n"
        "      [5, 6],\n"
        "      [7, 8]\n"
        "    ]\n"
        "  ]},\n"
        "  \"scalar\": {\"$tensor\": \"F32\", \"shape\": [], \"data\": 1.5},\n"
        "  \"numbers\": [1, 2],\n"
        "  \"items\": [\n"
        "    \"a\",\n"
        "    {\n"
        "      \"b\": null\n"
        "    }\n"
        "  ],\n"
        "  \"empty\": []\n"
        "}\n");
}

TEST_CASE("in the pretty form the attributes of a structure have a line of their own") {
  ss::Value layer = ss::Value::structure("Layer", {{"a", 1}});
  layer.set_attribute("class_version", 3);
  ss::Value list = ss::Value::list({1});
  list.set_attribute("unit", "m");
  CHECK(save_json(ss::Value::dict({{"layer", layer}, {"list", list}}), {}) ==
        "{\n"
        "  \"layer\": {\n"
        "    \"$struct\": \"Layer\",\n"
        "    \"a\": 1,\n"
        "    \"$attributes\": {\"class_version\": 3}\n"
        "  },\n"
        "  \"list\": {\"$list\": [1], \"$attributes\": {\"unit\": \"m\"}}\n"
        "}\n");
}

TEST_CASE("JSON that others wrote is read as natural values") {
  CHECK(load_json(R"( {"a": [1, 2.0, -0, 1e2, "\u00e9\ud83d\ude00"], "b": {}, "c": null} )") ==
        ss::Value::dict({{"a", ss::Value::list({1, 2.0, 0, 100.0, "\xC3\xA9\xF0\x9F\x98\x80"})},
                         {"b", ss::Value::dict()},
                         {"c", nullptr}}));
  // Names that only look like ours.
  CHECK(load_json(R"({"$schema": "x", "a": 1})") == ss::Value::dict({{"$schema", "x"}, {"a", 1}}));
  CHECK(load_json(R"({"a": 1, "$tensor": "F32"})") ==
        ss::Value::dict({{"a", 1}, {"$tensor", "F32"}}));
  // As Python's json.dumps writes them.
  const ss::Value python = load_json("[NaN, Infinity, -Infinity]");
  CHECK(std::isnan(python[0].as_double()));
  CHECK(python[1] == std::numeric_limits<double>::infinity());
  CHECK(python[2] == -std::numeric_limits<double>::infinity());
}

TEST_CASE("lone surrogates survive as their escapes") {
  const ss::Value text(std::string("a\xED\xA0\x80z\xED\xB0\x80"));
  CHECK(saved(text) == R"("a\ud800z\udc00")");
  CHECK(load_json(R"("a\ud800z\udc00")") == text);
  CHECK(again(ss::Value::dict({{text, text}})).entries()[0].key == text);
  // What steers a terminal, or turns the reading order, is not written as it is.
  CHECK(saved("\xE2\x80\xAE\x7F") == R"("\u202e\u007f")");
}

TEST_CASE("typed objects load from natural JSON") {
  struct Layer {
    std::string name;
    std::vector<float> weight;
    std::vector<std::vector<double>> rows;
    std::optional<float> dropout;
    double rate;
  };
  const std::string text =
      R"({"name": "x", "weight": [1, 2.5], "rows": [[1], []], "dropout": null, "rate": 1})";
  const Layer layer = ss::load<Layer>(std::as_bytes(std::span(text)));
  CHECK(layer.name == "x");
  CHECK(layer.weight == std::vector<float>{1, 2.5F});
  CHECK(layer.rows == std::vector<std::vector<double>>{{1}, {}});
  CHECK(!layer.dropout);
  CHECK(layer.rate == 1);
  const std::vector<std::byte> bytes = ss::save(layer, {.format = ss::formats::json()});
  CHECK(ss::load<Layer>(bytes).rows == layer.rows);
}

TEST_CASE("labels of keys that only the file knows survive") {
  ss::Value key = ss::Value::tuple({1, 2});
  key.set_key_label("Point(1, 2)");
  const ss::Value value = ss::Value::dict({{key, "x"}, {ss::Value::tuple({3}), "y"}});
  CHECK(saved(value) ==
        R"json({"$dict":[[{"$tuple":[1,2]},"Point(1, 2)","x"],[{"$tuple":[3]},"y"]]})json");
  const ss::Value loaded = again(value);
  CHECK(loaded.entries()[0].key.key_label() == "Point(1, 2)");
  CHECK(loaded.entries()[1].key.key_label() == "(3,)");
  // Python's str of bytes is ASCII.
  const ss::Value bytes = ss::Value::bytes(std::as_bytes(std::span("\xFF'\n", 3)));
  CHECK(bytes.key_label() == R"(b"\xff'\n")");
  again(ss::Value::dict({{bytes, 1}}));
}

TEST_CASE("metadata and tensors outside the structure come in an envelope") {
  const ss::SaveOptions options{.metadata = {{"run", "42"}},
                                .extra_tensors = {{"x", ss::Tensor::own<std::uint8_t>({7})}}};
  const std::string text = saved(ss::Value::list({1}), options);
  CHECK(text == R"({"$safestructures":{"metadata":{"run":"42"},)"
                R"("tensors":{"x":{"$tensor":"U8","shape":[1],"data":[7]}}},"root":[1]})");
  const ss::Document document = ss::Document::from_bytes(std::as_bytes(std::span(text)), nullptr);
  CHECK(document.format().name() == "json");
  CHECK(document.root() == ss::Value::list({1}));
  CHECK(document.metadata() == ss::Metadata{{"run", "42"}});
  CHECK(document.unreferenced() == std::vector<std::string>{"x"});
  CHECK(document.content().tensor_count == 1);
  CHECK(document.content().tensor_bytes == 1);
  CHECK(document.content().description == "JSON");
  CHECK(saved(ss::Value::list({1}), {.metadata = {{"run", "42"}}}) ==
        R"({"$safestructures":{"metadata":{"run":"42"}},"root":[1]})");
}

TEST_CASE("a structure that goes through JSON has the schema it had") {
  // Plain payloads and nodes in them, attributes of all kinds, type names, labels.
  ss::Value frame = ss::Value::custom(
      "pandas.DataFrame",
      ss::Value::dict({{"plain", ss::Value(1).plain()},
                       {"node", ss::Value::tuple({1, 2})},
                       {"$odd", ss::Value::list({ss::Value("x").plain(), ss::Value(2)}).plain()}})
          .plain());
  frame.set_attribute("keys", ss::Value::dict({{"a", 1}, {"t", ss::Tensor::own<float>({1})}}));
  ss::Value array = ss::Value(ss::Tensor::own<double>({1, 2}));
  array.set_type_name("torch.Tensor");
  ss::Value set = ss::Value::set({1});
  set.set_type_name("frozenset");
  set.set_attribute("note", ss::Value::list({1, nullptr, "x"}));
  ss::Value key = ss::Value::tuple({1});
  key.set_key_label("Point(1)");
  const ss::Value value = ss::Value::structure(
      "Model", {{"frame", frame}, {"array", array}, {"d", ss::Value::dict({{key, set}})}});
  for (const ss::Precision precision : {ss::Precision::f32, ss::Precision::preserve}) {
    const ss::SaveOptions options{.precision = precision};
    const std::vector<std::byte> file = ss::save(value, options);
    const ss::Document before = ss::Document::from_bytes(file, nullptr);
    const ss::SaveOptions as_is{.precision = ss::Precision::preserve};
    const std::string json = save_json(before.root(), {}, as_is);
    const ss::Document middle = ss::Document::from_bytes(std::as_bytes(std::span(json)), nullptr);
    const std::vector<std::byte> again = ss::save(middle.root(), as_is);
    const ss::Document after = ss::Document::from_bytes(again, nullptr);
    CHECK(after.schema() == before.schema());
    CHECK(again == file);
    // And straight from the structure.
    const std::string direct = save_json(value, {}, options);
    const ss::Document from_direct =
        ss::Document::from_bytes(std::as_bytes(std::span(direct)), nullptr);
    CHECK(ss::save(from_direct.root(), as_is) == file);
  }
}

TEST_CASE("precision is honoured and noted, overflow and losses are refused or told") {
  const ss::Value value(ss::Tensor::own<double>({1, 1e-300}));
  CHECK(saved(value) ==
        R"({"$tensor":"F32","$attributes":{"dtype":"F64"},"shape":[2],"data":[1,0]})");
  const std::string text = saved(value);
  CHECK(ss::load(std::as_bytes(std::span(text))).tensor().dtype() == ss::DType::F64);
  CHECK(saved(value, {.precision = ss::Precision::preserve}) ==
        R"({"$tensor":"F64","shape":[2],"data":[1,1e-300]})");
  CHECK(saved(value, {.extensions = false}) == R"({"$tensor":"F32","shape":[2],"data":[1,0]})");
  std::ostringstream out;
  const ss::SaveReport report = ss::save(value, out, {.format = ss::formats::json(compact)});
  CHECK(report.bytes == out.str().size());
  REQUIRE(report.conversions.size() == 1);
  CHECK(report.conversions[0].name == "tensor");
  CHECK(report.conversions[0].report.underflow == 1);
  CHECK(error_of([&] { return saved(value, {.lossless = true}); }) ==
        "lossy_conversion: at tensor: a conversion changed values of a tensor: expected all values "
        "of F64 kept in F32, found 1 that became zero. Store it in its own dtype, or do not "
        "require a lossless save.");
  const ss::Value large = ss::Value::dict({{"a", ss::Tensor::own<double>({1, 1e300})}});
  CHECK(error_of([&] { return saved(large); }).starts_with("out_of_range: at /a: "));
  CHECK(saved(large, {.overflow = ss::Overflow::allow}).find(R"("data":[1,"inf"])") !=
        std::string::npos);
}

TEST_CASE("options that JSON does not support are refused by name") {
  const auto refused = [](ss::SaveOptions options) {
    return error_of([&] { return saved(ss::Value::list(), options); });
  };
  const std::string advice = ". Leave the option out, or save as safestructures.";
  CHECK(refused({.schema = false}) ==
        "invalid_argument: JSON does not support a save option: found SaveOptions::schema = false" +
            advice);
  CHECK(refused({.checksums = true}) ==
        "invalid_argument: JSON does not support a save option: found SaveOptions::checksums" +
            advice);
  CHECK(refused({.shard_size = 1}) ==
        "invalid_argument: JSON does not support a save option: found SaveOptions::shard_size" +
            advice);
  CHECK(
      error_of([] { return ss::formats::json({ss::JsonTensors::lists, 17}); }) ==
      "invalid_argument: an indent is too large: expected at most 16 (JsonOptions::indent), found "
      "17.");
}

TEST_CASE("values that cannot be saved are refused with their place") {
  const auto refused = [](const ss::Value& value, ss::SaveOptions options = {}) {
    return error_of([&] { return saved(value, options); });
  };
  const ss::Tensor tensor = ss::Tensor::own<float>({1});
  CHECK(refused(ss::Value::list({"a", "\xFF"})) ==
        "invalid_utf8: at /1: a string is not UTF-8: found a malformed sequence at byte 0 of the "
        "string. Store binary data as bytes, for example std::vector<std::byte>.");
  // Two surrogates in six bytes are no WTF-8: read again, they would be one character.
  CHECK(refused("\xED\xA0\x80\xED\xB0\x80") ==
        "invalid_utf8: at /: a string is not UTF-8: found a malformed sequence at byte 3 of the "
        "string. Store binary data as bytes, for example std::vector<std::byte>.");
  CHECK(refused(ss::Value::dict({{"x", tensor}}), {.extra_tensors = {{"x", tensor}}}) ==
        "duplicate_name: at /x: two tensors have the same name: found 'x' in the structure and in "
        "SaveOptions::extra_tensors.");
  const ss::Value nested = ss::Value::list({ss::Value::list({ss::Value::list()})});
  CHECK(refused(nested, {.limits = {.depth = 1}}) ==
        "limit_exceeded: at /0/0: a structure is nested too deeply: expected at most 1 levels "
        "(Limits::depth).");
  CHECK(refused(nested, {.limits = {.nodes = 2}}) ==
        "limit_exceeded: at /0/0: a structure has too many nodes: expected at most 2 "
        "(Limits::nodes).");
  CHECK(refused(ss::Value::integer("-123"), {.limits = {.digits = 2}}) ==
        "limit_exceeded: at /: an int has too many digits: expected at most 2 (Limits::digits), "
        "found 3.");
  CHECK(
      refused(ss::Value(tensor), {.limits = {.rank = 0}}) ==
      "limit_exceeded: at /: a tensor has too many dimensions: expected at most 0 (Limits::rank), "
      "found 1.");
  CHECK(refused(ss::Value::list({tensor, tensor}), {.limits = {.tensors = 1}}) ==
        "limit_exceeded: at /1: there are too many tensors: expected at most 1 "
        "(Limits::tensors).");
  ss::Value list = ss::Value::list();
  list.set_attribute("a", 1);
  CHECK(refused(list, {.limits = {.attributes = 0}}) ==
        "limit_exceeded: at /: a node has too many extension fields: expected at most 0 "
        "(Limits::attributes), found 1.");
}

TEST_CASE("a structure with a weight_map that is not an index is saved so that it comes back") {
  const ss::test::Folder folder;
  const Weights weights{{{"a", "b.safetensors"}}};
  ss::save_file(weights, folder / "w.json");
  CHECK(ss::load_file<Weights>(folder / "w.json") == weights);
  CHECK(saved(ss::Value::from(weights)) ==
        R"({"$struct":"Weights","weight_map":{"a":"b.safetensors"}})");
  // A dict stands for itself: its name has an escape, which means the same to all that read JSON.
  const ss::Value map = ss::Value::dict({{"a", "b.safetensors"}});
  const ss::Value dict = ss::Value::dict({{"n", 1}, {"weight_map", map}});
  for (const std::string name : {"d.json", "d.json.gz"}) {
    ss::save_file(dict, folder / name);
    CHECK(ss::load_file(folder / name) == dict);
  }
  CHECK(saved(dict) == R"({"n":1,"weight\u005fmap":{"a":"b.safetensors"}})");
  CHECK(saved(ss::Value::list({dict})) == R"([{"n":1,"weight_map":{"a":"b.safetensors"}}])");
  CHECK(save_json(dict, compact, {.metadata = {{"k", "v"}}})
            .ends_with(R"("root":{"n":1,"weight_map":{"a":"b.safetensors"}}})"));
  const Job job{"a", "weight_map"};
  ss::save_file(job, folder / "job.json");
  CHECK(ss::load_file<Job>(folder / "job.json") == job);
}

TEST_CASE("a format is known by what a file holds, then by its name") {
  const auto name_of = [](std::string_view text) {
    return ss::formats::for_content(*ss::Source::of(std::as_bytes(std::span(text)), nullptr))
        ->name();
  };
  CHECK(name_of(" \n{\"a\": 1}") == "json");
  CHECK(name_of("[1]") == "json");
  CHECK(name_of(R"({"metadata": {}, "weight_map": {}})") == "safestructures");
  CHECK(name_of("nothing") == "safestructures");
  CHECK(ss::formats::for_name("a.JSON")->name() == "json");
  CHECK(ss::formats::for_name("a.safetensors.index.json")->name() == "safestructures");
  CHECK(ss::formats::all()[0]->name() == "safestructures");

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "safestructures_json";
  std::filesystem::create_directories(folder);
  const auto format_of = [&](const std::string& name, std::string_view text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return ss::formats::for_content(*ss::Source::open(folder / name))->name();
  };
  // An index whose map lies far behind.
  CHECK(format_of("m.safetensors.index.json", R"({"metadata": {})") == "safestructures");
  CHECK(format_of("m.safetensors", "{}") == "json");
  CHECK(format_of("m.json", "1") == "json");
  const ss::Value value = ss::Value::list({1, ss::Tensor::own<float>({1})});
  ss::save_file(value, folder / "v.json");
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory})
    CHECK(ss::load_file(folder / "v.json", {.access = access}) == value);
  const ss::Document document = ss::open(folder / "v.json");
  CHECK(document.content().files.size() == 1);
  std::filesystem::remove_all(folder);
}

TEST_CASE("random structures come back, and are saved as the same text") {
  const unsigned seed = std::random_device()();
  INFO("seed ", seed);
  ss::test::RandomValues random(seed);
  for (int i = 0; i < 300; ++i) again(random.value());
}

TEST_CASE("every place where the text may be cut short is refused") {
  ss::test::RandomValues random(7);
  const std::string text =
      save_json(ss::Value::list({random.value(), random.value(), random.value(),
                                 ss::Tensor::own<std::complex<float>>({{1, 2}, {3, 4}}, {2, 1}),
                                 ss::Value::custom("a", ss::Value(1).plain())}),
                compact);
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(static_cast<void>(load_json(text.substr(0, size))), ss::Error);
  }
}
