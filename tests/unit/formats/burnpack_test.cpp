/// \file
/// burnpack: what Burn wrote loads, what is saved comes back and is in Burn's form, and what it
/// cannot hold is refused. What is malformed is in burnpack_malformed_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/walk.hpp>
#include <safestructures/safestructures.hpp>
#include "support/burnpack_saved.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/memory_source.hpp"

namespace ss = safestructures;
using nlohmann::json;
using ss::test::burn_tensor;
using ss::test::BurnpackFile;
using ss::test::bytes_of;
using ss::test::description_of;
using ss::test::error_of;
using ss::test::Folder;
using ss::test::little_endian;
using ss::test::saved_burnpack;
using ss::test::small_burnpack;
using ss::test::text_of;

namespace {

struct Linear {
  std::vector<std::vector<float>> weight;
  std::vector<float> bias;
  bool operator==(const Linear&) const = default;
};
struct Model {
  std::vector<Linear> layers;
  std::vector<std::int64_t> steps;
  std::vector<bool> mask;
  double rate = 0;
  bool operator==(const Model&) const = default;
};

ss::Value again(const ss::Value& value) {
  const std::string file = saved_burnpack(value, {.precision = ss::Precision::preserve});
  const std::vector<std::byte> bytes = bytes_of(file);
  ss::Value loaded = ss::load(bytes);
  CHECK(saved_burnpack(loaded, {.metadata = ss::Document::from_bytes(bytes, nullptr).metadata(),
                                .precision = ss::Precision::preserve}) == file);
  loaded.own();
  return loaded;
}

/// The elements of a tensor as a program of Burn noted them.
void check_tensor(const ss::Value& value, const json& expected) {
  const ss::Tensor& tensor = value.tensor();
  CHECK(expected["shape"].get<std::vector<std::uint64_t>>() ==
        std::vector<std::uint64_t>(tensor.shape().begin(), tensor.shape().end()));
  const auto dtype = expected["dtype"].get<std::string>();
  CHECK((dtype == "Bool" ? "BOOL" : dtype) == to_string(tensor.dtype()));
  const json& data = expected["data"];
  REQUIRE(data.size() == tensor.size());
  const std::vector<double> found = tensor.to_vector<double>();
  for (std::size_t i = 0; i < data.size(); ++i)
    CHECK(found[i] ==
          (data[i].is_boolean() ? (data[i].get<bool>() ? 1.0 : 0.0) : data[i].get<double>()));
  if (const auto id = expected.find("id"); id != expected.end()) {
    REQUIRE(value.attribute("burn.id") != nullptr);
    CHECK(value.attribute("burn.id")->as_string() == id->get<std::string>());
  }
}

void check_scalar(const ss::Value& value, const json& expected) {
  if (value.kind() == ss::Kind::boolean) CHECK(expected == value.as_bool());
  else if (value.kind() == ss::Kind::floating) CHECK(expected == value.as_double());
  else if (const auto number = value.as_uint64()) CHECK(expected == *number);
  else CHECK(expected == *value.as_int64());
}

/// All burnpack files below tests/golden/burn, made by Burn itself.
std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path(SAFESTRUCTURES_TEST_DATA) / "golden" / "burn";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".bpk") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("every burnpack file of Burn loads with the values that its program noted") {
  const std::vector<std::filesystem::path> files = golden_files();
  CHECK(files.size() >= 16);
  for (const auto& path : files) {
    CAPTURE(path.string());
    std::ifstream text(path.parent_path() / "expected" / (path.filename().string() + ".json"));
    const json expected = json::parse(text);
    for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
      const ss::Document document = ss::open(path, {.access = access});
      CHECK(document.format().name() == "burnpack");
      CHECK(document.content().tensor_count == expected["tensors"].size());
      std::size_t scalars = 0;
      ss::walk(document.root(), [&](const ss::Place& place) {
        const ss::Value& value = place.value();
        if (value.is_sequence() || value.is_mapping()) return ss::Next::into;
        const std::string name = place.path().dotted();
        CAPTURE(name);
        if (value.kind() == ss::Kind::tensor) {
          REQUIRE(expected["tensors"].contains(name));
          check_tensor(value, expected["tensors"][name]);
        } else {
          ++scalars;
          REQUIRE(expected["scalars"].contains(name));
          check_scalar(value, expected["scalars"][name]["value"]);
        }
        return ss::Next::over;
      });
      CHECK(scalars == expected["scalars"].size());
    }
    CHECK(ss::verify_file(path).tensor_count == expected["tensors"].size());
    // And is saved as something that loads as the same, ids included.
    const ss::Document document = ss::open(path);
    CHECK(again(document.root()) == document.root());
  }
}

TEST_CASE("typed structures come back, and their tensors are named by their places") {
  const Model model{.layers = {{{{1, 2}, {3, 4}}, {5}}, {{{6}}, {7, 8}}},
                    .steps = {1, -2},
                    .mask = {true, false},
                    .rate = 0.1};
  const Folder folder;
  const auto path = folder / "m.bpk";
  const ss::SaveReport report = ss::save_file(model, path);
  CHECK(report.bytes == std::filesystem::file_size(path));
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory})
    CHECK(ss::load_file<Model>(path, {.access = access}) == model);
  const ss::Document document = ss::open(path);
  CHECK_FALSE(document.has_schema());
  CHECK(document.content().description == "none: a burnpack file");
  CHECK(document.content().files == std::vector<std::filesystem::path>{path});
  CHECK(document.at("/layers/1/bias").value().tensor_name() == "layers.1.bias");
  CHECK(document.at("/rate").as<double>() == 0.1);
  ss::save_file(model, folder / "m.bpk.gz");
  CHECK(ss::load_file<Model>(folder / "m.bpk.gz") == model);
}

TEST_CASE("opening reads the description alone, and tensors are deferred or views") {
  const std::vector<float> numbers(1'000'000, 1.5F);
  const std::string file =
      saved_burnpack(ss::Value::dict({{"a", ss::Tensor::of<float>(std::span(numbers))}}));
  const auto source = std::make_shared<const ss::test::MemorySource>("far", bytes_of(file));
  const ss::Document document = ss::Document::open(source, {.access = ss::Access::read});
  CHECK(source->bytes_read() < 10'000);
  CHECK_FALSE(document.at("/a").tensor().is_loaded());
  CHECK(document.at("/a").tensor().slice(ss::parse_slices("5:7")).size() == 2);
  CHECK(source->bytes_read() < 10'000);
  const Folder folder;
  std::ofstream(folder / "m.bpk", std::ios::binary) << file;
  for (const ss::Access access : {ss::Access::map, ss::Access::memory}) {
    const ss::Tensor tensor = ss::open(folder / "m.bpk", {.access = access}).at("/a").tensor();
    CHECK(tensor.is_loaded());
    CHECK(tensor.data<float>()[999'999] == 1.5F);
  }
}

TEST_CASE("the layout of Burn 0.19 is read, tensors at odd places too") {
  BurnpackFile file;
  file.is_aligned = false;
  file.description["tensors"]["a"] = burn_tensor("Bool", {3}, 0, 3);
  file.description["tensors"]["b"] = burn_tensor("F32", {2}, 3, 11);
  file.description["tensors"]["c"] = burn_tensor("F64", {}, 11, 19);
  file.data = std::string("\1\0\1", 3) + little_endian(0x3F800000, 4) +
              little_endian(0x40000000, 4) + std::string("\0\0\0\0\0\0\xF8\x3F", 8);
  const Folder folder;
  std::ofstream(folder / "m.bpk", std::ios::binary) << file.text();
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
    const ss::Value value = ss::load_file(folder / "m.bpk", {.access = access});
    const ss::Tensor b = value["b"].tensor();
    CHECK(std::vector<float>(b.data<float>().begin(), b.data<float>().end()) ==
          std::vector<float>{1, 2});
    CHECK(value["c"].tensor().to_vector<double>() == std::vector<double>{1.5});
    CHECK(value["a"].tensor().dtype() == ss::DType::BOOL);
  }
  const std::vector<std::byte> bytes = bytes_of(file.text());
  const ss::Value in_memory = ss::load(bytes);
  const ss::Tensor c = in_memory["c"].tensor();
  CHECK(c.data<double>()[0] == 1.5);
}

TEST_CASE("every dtype of Burn is read, and written where Burn has it") {
  BurnpackFile file;
  std::uint64_t begin = 0;
  const auto add = [&](const std::string& name, const json& dtype, const std::string& bytes) {
    file.data.resize(static_cast<std::size_t>(begin));
    file.data += bytes;
    file.description["tensors"][name] = burn_tensor(dtype, {1}, begin, begin + bytes.size());
    begin = (begin + bytes.size() + 255) / 256 * 256;
  };
  const std::map<std::string, std::size_t> sizes = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2},
                                                    {"I64", 8}, {"I32", 4}, {"I16", 2}, {"I8", 1},
                                                    {"U64", 8}, {"U32", 4}, {"U16", 2}, {"U8", 1}};
  for (const auto& [name, size] : sizes) add(name, name, std::string(size, '\0'));
  add("flex", "Flex32", little_endian(0x3F800000, 4));
  add("old_bool", "Bool", "\1");
  add("native", {{"Bool", "Native"}}, "\1");
  add("bytes", {{"Bool", "U8"}}, "\1");
  add("words", {{"Bool", "U32"}}, little_endian(1, 4));
  const std::vector<std::byte> bytes = bytes_of(file.text());
  const ss::Value value = ss::load(bytes);
  for (const auto& [name, size] : sizes) CHECK(to_string(value[name].tensor().dtype()) == name);
  CHECK(value["flex"].tensor().dtype() == ss::DType::F32);
  CHECK(value["flex"].tensor().to_vector<float>() == std::vector<float>{1});
  for (const char* name : {"old_bool", "native", "bytes", "words"}) {
    CHECK(value[name].tensor().dtype() == ss::DType::BOOL);
    CHECK(value[name].tensor().to_vector<std::uint8_t>() == std::vector<std::uint8_t>{1});
  }
  CHECK(again(value) == value);
  CHECK(description_of(saved_burnpack(
            ss::Value::dict({{"words", value["words"]}})))["tensors"]["words"]["dtype"] ==
        json{{"Bool", "Native"}});
}

TEST_CASE("many bools of four bytes are read in blocks, from any place") {
  BurnpackFile file;
  const std::uint64_t count = 40'000;
  file.description["tensors"]["a"] = burn_tensor({{"Bool", "U32"}}, {count}, 0, 4 * count);
  for (std::uint64_t i = 0; i < count; ++i) file.data += little_endian(i % 3 == 0 ? 1 : 0, 4);
  const std::vector<std::byte> bytes = bytes_of(file.text());
  const ss::Value value = ss::load(bytes);
  const std::vector<std::uint8_t> all = value["a"].tensor().to_vector<std::uint8_t>();
  REQUIRE(all.size() == count);
  for (std::uint64_t i = 0; i < count; ++i) CHECK(all[i] == (i % 3 == 0 ? 1 : 0));
  const ss::Value fresh = ss::load(bytes);
  CHECK(fresh["a"].tensor().slice(ss::parse_slices("39999:")).to_vector<std::uint8_t>() ==
        std::vector<std::uint8_t>{1});
}

TEST_CASE("quantized tensors are kept as they are") {
  BurnpackFile file;
  const json dtype = {{"QFloat",
                       {{"value", "Q8S"},
                        {"block", {{"Block", {32, 2}}}},
                        {"number", -1.5},
                        {"none", nullptr},
                        {"on", true}}}};
  file.description["tensors"]["q"] = burn_tensor(dtype, {2, 2}, 0, 8);
  file.description["tensors"]["q"]["param_id"] = 1;
  file.data = "12345678";
  const std::vector<std::byte> bytes = bytes_of(file.text());
  const ss::Value value = ss::load(bytes);
  const ss::Value& q = value["q"];
  CHECK(q.type_name() == "burn.QFloat");
  CHECK(q.attribute("burn.id")->as_string() == "0400000000000");
  CHECK(q.payload()["shape"] == ss::Value::list({2, 2}));
  CHECK(q.payload()["dtype"]["value"].as_string() == "Q8S");
  CHECK(text_of(q.payload()["data"].tensor().bytes()) == "12345678");
  CHECK(again(value) == value);
  const json written = description_of(saved_burnpack(value));
  CHECK(written["tensors"] == file.description["tensors"]);
  // By another format, too.
  const auto other = ss::save(value, {.precision = ss::Precision::preserve});
  const ss::Value from_other = ss::load(other);
  CHECK(description_of(saved_burnpack(from_other))["tensors"] == file.description["tensors"]);
}

TEST_CASE("an optimizer of Burn 0.22 comes back with its scalars, in Burn's spelling") {
  BurnpackFile file;
  file.description["tensors"]["11.momentum.moment_1"] = burn_tensor("F32", {1}, 0, 4);
  file.description["tensors"]["11.momentum.moment_1"]["param_id"] = 11;
  file.description["metadata"] = {{"11", "fc.weight"}};
  file.description["scalars"] = {
      {"11.__rank", {{"UInt", 2}}},         {"11.momentum.time", {{"UInt", 18446744073709551615U}}},
      {"11.momentum.small", {{"Int", -7}}}, {"11.on", {{"Bool", true}}},
      {"11.half", {{"Float", 0.5}}},        {"11.third", {{"Float", 1.0 / 3}}}};
  file.data = little_endian(0x3F800000, 4);
  const std::vector<std::byte> bytes = bytes_of(file.text());
  const ss::Value value = ss::load(bytes);
  CHECK(value["11"]["__rank"].as_uint64() == 2U);
  CHECK(value["11"]["momentum"]["time"].as_uint64() == 18446744073709551615U);
  CHECK(value["11"]["momentum"]["small"].as_int64() == -7);
  CHECK(value["11"]["on"].as_bool());
  CHECK(value["11"]["third"].as_double() == 1.0 / 3);
  CHECK(again(value) == value);
  const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
  CHECK(document.metadata() == ss::Metadata{{"11", "fc.weight"}});
  CHECK(description_of(saved_burnpack(value, {.metadata = document.metadata()})) ==
        file.description);
}

TEST_CASE("files without tensors, empty tensors and tensors without dimensions come back") {
  const std::string nothing = saved_burnpack(ss::Value::dict());
  CHECK(nothing.size() == 256);
  CHECK(ss::load(bytes_of(nothing)) == ss::Value::dict());
  const ss::Value value = ss::Value::dict({{"empty", ss::Tensor::own<float>({}, {0, 3})},
                                           {"scalar", ss::Tensor::own<float>({1.5F}, {})},
                                           {"last", ss::Tensor::own<std::int32_t>({}, {0})},
                                           {"", ss::Tensor::own<std::uint8_t>({1})}});
  CHECK(again(value) == value);
  // Of an empty tensor at the end Burn leaves its padding out, or not.
  BurnpackFile file = small_burnpack();
  file.description["tensors"]["z"] = burn_tensor("F32", {0}, 256, 256);
  CHECK(ss::load(bytes_of(file.text()))["z"].tensor().size() == 0);
  file.data.resize(256);
  CHECK(ss::load(bytes_of(file.text()))["z"].tensor().size() == 0);
  file.description["tensors"]["z"]["dtype"] = {{"Bool", "U32"}};
  CHECK(ss::load(bytes_of(file.text()))["z"].tensor().size() == 0);
}

TEST_CASE("names spell the structure, as those of a plain safetensors file do") {
  const ss::Value value = ss::Value::dict(
      {{"a", ss::Tensor::own<float>({3})},
       {"a.b", ss::Tensor::own<float>({4})},
       {"layers", ss::Value::list({ss::Value::dict({{"weight", ss::Tensor::own<float>({1})}}),
                                   ss::Tensor::own<float>({2})})}});
  CHECK(again(value) == value);
  const auto plain = ss::save(value, {.schema = false});
  CHECK(ss::load(plain) == again(value));
  // Tuples come back as lists, structs as dicts, other keys as texts.
  const ss::Value tuple = ss::Value::structure(
      "S", {{"t", ss::Value::tuple({1, 2})}, {"d", ss::Value::dict({{5, true}})}});
  CHECK(again(tuple) ==
        ss::Value::dict({{"d", ss::Value::dict({{"5", true}})}, {"t", ss::Value::list({1, 2})}}));
  // A name of another place says nothing here.
  ss::Value numbered = ss::Tensor::own<float>({1});
  numbered.set_tensor_name("0");
  CHECK(
      description_of(saved_burnpack(ss::Value::dict({{"x", numbered}})))["tensors"].contains("x"));
}

TEST_CASE("safetensors and burnpack convert into each other, and keep what burnpack can hold") {
  const Folder folder;
  ss::Value weight = ss::Tensor::own<ss::half>({ss::half(1.5F)});
  weight.set_attribute("burn.id", "72d17eukbtkma");
  const ss::Value value = ss::Value::dict(
      {{"fc", ss::Value::dict({{"weight", weight}, {"on", true}})}, {"n", 3}, {"rate", 0.25}});
  const ss::SaveOptions as_is{.precision = ss::Precision::preserve};
  ss::save_file(value, folder / "m.bpk",
                {.metadata = {{"run", "42"}}, .precision = ss::Precision::preserve});
  ss::convert_file(ss::open(folder / "m.bpk"), folder / "m.safetensors", as_is);
  const ss::Document middle = ss::open(folder / "m.safetensors");
  CHECK(middle.root() == value);
  CHECK(middle.metadata() == ss::Metadata{{"run", "42"}});
  const ss::Node node = middle.at("/fc/weight");
  CHECK(node.value().attribute("burn.id")->as_string() == "72d17eukbtkma");
  ss::convert_file(middle, folder / "again.bpk", as_is);
  const auto text = [&](const std::string& name) {
    std::ifstream file(folder / name, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  CHECK(text("again.bpk") == text("m.bpk"));
  // Onto itself, and tensors beside the structure.
  ss::convert_file(ss::open(folder / "m.bpk"), folder / "m.bpk", as_is);
  CHECK(text("again.bpk") == text("m.bpk"));
  ss::save_file(value, folder / "x.safetensors",
                {.extra_tensors = {{"x.y", ss::Tensor::own<float>({1})}}});
  ss::convert_file(ss::open(folder / "x.safetensors"), folder / "x.bpk");
  CHECK(ss::load_file(folder / "x.bpk")["x"]["y"].tensor().size() == 1);
}
