/// \file
/// Records of Burn: what is read, of every version and by every type. What lasts between versions
/// is in burn_versions_test.cpp, files of the real Burn in burn_golden_test.cpp, what is malformed
/// in burn_malformed_test.cpp.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include "support/burn_records.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
namespace burn = ss::burn;

namespace {

enum class Speed { slow, fast };

/// A part of burn::Linear, of no type.
struct Loose {
  ss::Value weight;
};

}  // namespace

template <>
struct safestructures::EnumNames<Speed> {
  static constexpr std::pair<Speed, std::string_view> values[] = {{Speed::slow, "Slow"},
                                                                  {Speed::fast, "Fast"}};
};

using ss::test::error_of;
using ss::test::json_record;
using ss::test::linear;
using ss::test::messagepack_record;
using ss::test::quarters;
using ss::test::view_of;
using namespace std::string_literals;

TEST_CASE("records open without knowing the recorder, by content or by type") {
  const ss::test::Folder folder;
  burn::NamedMpkFileRecorder<>().record(linear(), folder / "a");
  burn::PrettyJsonFileRecorder<>().record(linear(), folder / "b");
  burn::BinFileRecorder<>().record(linear(), folder / "c");
  for (const auto* const name : {"a.mpk", "b.json"}) {
    const ss::Document document = ss::open(folder / name);
    CHECK(document.at("/weight").tensor() == quarters({2, 3}));
    CHECK(document.at("/weight").value().tensor_name() == "weight");
    CHECK(ss::load_file<Loose>(folder / name).weight.tensor_name() == "weight");
    CHECK(document.metadata().at("burn.version") == "0.21.0");
    CHECK(document.metadata().at("burn.settings") == "FullPrecisionSettings");
  }
  for (const auto* const name : {"a.mpk", "b.json", "c.bin"})
    CHECK(ss::load_file<burn::Linear>(folder / name).bias->id == "0000000000000");
  const std::string path = (folder / "c.bin").string();
  CHECK(
      error_of([&] { return ss::load_file(path); }) ==
      "invalid_argument: " + path +
          ": at /: a bincode file does not describe its contents: expected the C++ type of the "
          "record, found "
          "a record of Burn 0.21.0. Load it with load_file<T>, or save it as MessagePack (.mpk) in "
          "Burn.");
}

TEST_CASE("the tensors of a record are read in every way of access") {
  const ss::test::Folder folder;
  burn::NamedMpkFileRecorder<>().record(linear(), folder / "a");
  burn::PrettyJsonFileRecorder<>().record(linear(), folder / "a");
  burn::BinFileRecorder<>().record(linear(), folder / "a");
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
    CAPTURE(static_cast<int>(access));
    for (const std::string name : {"a.mpk", "a.json"}) {
      CHECK(ss::load_file(folder / name, {.access = access})["weight"].tensor() ==
            quarters({2, 3}));
      const ss::Value value = ss::load_file(folder / name, {.access = access});
      const ss::Tensor bias = value["bias"].tensor();
      CHECK(bias.data<float>()[2] == 0.5F);
    }
    CHECK(ss::load_file<burn::Linear>(folder / "a.bin", {.access = access}).weight.value ==
          quarters({2, 3}));
  }
}

TEST_CASE("members may stand in any order, and unknown ones are passed over") {
  const std::string_view item =
      "\x82\x01\xC0\xA1"
      "a\x05";
  std::string bytes =
      "\x84\xA4item"s + std::string(item) + "\xA2_b\xC0\xA5other\x91\x80\xA8metadata\x80";
  const ss::Value value = ss::load(view_of(bytes), {.format = ss::formats::burn()});
  CHECK(value["a"] == ss::Value(5));
  CHECK(value["1"].is_none());
}

TEST_CASE("bool tensors of every version are read") {
  const auto bits = [](const ss::Value& value) {
    const ss::Tensor tensor = value.tensor();
    CHECK(tensor.dtype() == ss::DType::BOOL);
    return std::vector<bool>(tensor.data<bool>().begin(), tensor.data<bool>().end());
  };
  const std::vector<bool> wanted = {true, false};
  for (const auto& [dtype, bytes] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"("Bool")", "[1,0]"},
           {R"({"Bool":"Native"})", "[1,0]"},
           {R"({"Bool":"U8"})", "[1,0]"},
           {R"({"Bool":"U32"})", "[1,0,0,0,0,0,0,0]"}}) {
    const std::string text =
        json_record(R"({"bytes":)" + std::string(bytes) + R"(,"shape":[2],"dtype":)" + dtype + "}");
    CHECK(bits(ss::load(view_of(text))) == wanted);
  }
  const std::string words = messagepack_record(
      "\x83\xA5"
      "bytes\xC4\x08\x01\0\0\0\0\0\0\0\xA5shape\x91\x02\xA5"
      "dtype\x81\xA4"
      "Bool\xA3U32"s);
  CHECK(bits(ss::load(view_of(words))) == wanted);
  const std::string old = json_record(R"({"value":[true,false],"shape":[2]})", "0.13.2");
  CHECK(bits(ss::load(view_of(old))) == wanted);
}

TEST_CASE("numbers of 0.13 become what the record says of them") {
  const auto load = [](std::string_view item, std::string_view floats) {
    const std::string text = json_record(item, "0.13.2", floats);
    return ss::load(view_of(text)).tensor();
  };
  const ss::Tensor full = load(R"({"value":[0.1,null],"shape":[2]})", "f32");
  CHECK(full.dtype() == ss::DType::F32);
  CHECK(full.data<float>()[0] == 0.1F);
  CHECK(std::isnan(full.data<float>()[1]));
  CHECK(load(R"({"value":[1,-2],"shape":[2]})", "f32").dtype() == ss::DType::I32);
  CHECK(load(R"({"value":[0.5],"shape":[1]})", "f64").dtype() == ss::DType::F64);
  // The bits of halves, which Burn itself reads as numbers.
  const ss::Tensor half = load(R"({"value":[15872,45056],"shape":[2]})", "half::binary16::f16");
  CHECK(half.dtype() == ss::DType::F16);
  CHECK(half.to_vector<float>() == std::vector<float>{1.5F, -0.125F});
  CHECK(load(R"({"value":[-1,2],"shape":[2]})", "half::binary16::f16").dtype() == ss::DType::I16);
  struct Item {
    burn::Bare<std::vector<int>> steps;
  };
  const std::string text =
      json_record(R"({"steps":{"value":[3,4],"shape":[2]}})", "0.13.2", "half::binary16::f16");
  CHECK(ss::load<Item>(view_of(text)).steps.value == std::vector<int>{3, 4});
}

TEST_CASE("an open record gives what the C++ type asks for, as a whole and in part") {
  struct Item {
    ss::half scale;
    std::vector<ss::half> scales;
    std::vector<std::byte> raw;
    Speed speed;
  };
  const std::string text =
      json_record(R"({"scale":15872,"scales":[15872,45056],"raw":[1,2],"speed":{"Fast":null}})");
  const ss::Document document = ss::Document::from_bytes(view_of(text), nullptr);
  const auto check = [](const Item& item) {
    CHECK(static_cast<float>(item.scale) == 1.5F);
    CHECK(item.scales == std::vector<ss::half>{ss::half(1.5F), ss::half(-0.125F)});
    CHECK(item.raw == std::vector<std::byte>{std::byte{1}, std::byte{2}});
    CHECK(item.speed == Speed::fast);
  };
  check(ss::load<Item>(view_of(text)));
  check(document.as<Item>());
  check(document.at("/").as<Item>());
  CHECK(static_cast<float>(document.at("/scale").as<ss::half>()) == 1.5F);
  CHECK(document.at("/scales").as<std::vector<ss::half>>().back() == ss::half(-0.125F));
  // What is there stays as the file has it, and is another thing for another type.
  CHECK(document.root()["scale"] == ss::Value(15872));
  CHECK(document.at("/scale").as<int>() == 15872);

  const std::string old = json_record(R"({"a":{"steps":{"value":[3,4],"shape":[2]}}})", "0.13.2",
                                      "half::binary16::f16");
  const ss::Document half = ss::Document::from_bytes(view_of(old), nullptr);
  CHECK(half.at("/a/steps").as<std::vector<int>>() == std::vector<int>{3, 4});
  CHECK(half.as<std::map<std::string, std::map<std::string, burn::Bare<std::vector<int>>>>>()
            .at("a")
            .at("steps")
            .value == std::vector<int>{3, 4});
  // The recorder's precision holds here too, and its errors have the whole path.
  const std::string wide =
      json_record(R"({"w":{"bytes":[0,0,0,0,0,0,240,127],"shape":[1],"dtype":"F64"}})");
  const ss::Document full = ss::Document::from_bytes(
      view_of(wide), nullptr,
      {.format = ss::formats::burn(
           {.encoding = burn::Encoding::json, .settings = burn::Settings::full_precision})});
  CHECK(full.at("/w").as<ss::Tensor>().dtype() == ss::DType::F32);
}
