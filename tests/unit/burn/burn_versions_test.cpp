/// \file
/// That nothing is lost of a record between versions of Burn, encodings, precisions and formats.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <Eigen/Core>

#include <safestructures/burn/burn.hpp>
#include <safestructures/plugins/eigen.hpp>
#include "support/burn_records.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
namespace burn = ss::burn;
using ss::test::error_of;
using ss::test::linear;
using ss::test::quarters;

namespace {

using Layer = burn::Enum<burn::Case<"Lin", burn::Linear>, burn::Case<"Skip">>;

struct Model {
  burn::Linear fc;
  std::vector<burn::Conv2d> convs;
  std::optional<burn::Linear> head;
  std::tuple<burn::Linear, burn::LayerNorm> pair;
  Layer layer;
  burn::Lstm lstm;
  burn::Gru gru;
  burn::GroupNorm group;
  burn::InstanceNorm instance;
  burn::TransformerEncoder encoder;
  burn::TransformerDecoder decoder;
  burn::Constant dropout;
  std::array<burn::Constant, 2> stride;
};

enum class Side : std::uint8_t { left, right };

struct Plain {
  std::string text;
  bool yes = false;
  float f32 = 0;
  double f64 = 0;
  ss::half f16;
  std::uint8_t u8 = 0;
  std::int8_t i8 = 0;
  std::uint16_t u16 = 0;
  std::int16_t i16 = 0;
  std::uint32_t u32 = 0;
  std::int32_t i32 = 0;
  std::uint64_t u64 = 0;
  std::int64_t i64 = 0;
  std::vector<float> floats;
  std::vector<std::uint8_t> bytes;
  std::array<std::int32_t, 3> three{};
  std::optional<int> nothing;
  std::optional<std::string> something;
  std::tuple<int, std::string> pair;
  std::vector<std::vector<std::int64_t>> rows;
  std::vector<std::array<float, 2>> points;
  std::vector<std::byte> raw;
  std::map<std::string, int> counts;
  std::map<Side, float> sides;
};

burn::Param<> param(const ss::Shape& shape) { return {quarters(shape)}; }
burn::GateController gate() { return {linear(), linear()}; }

Model model() {
  const burn::LayerNorm norm{param({2}), param({2})};
  const burn::MultiHeadAttention attention{linear(), linear(), linear(), linear()};
  return {.fc = linear(),
          .convs = {{param({1, 1, 2, 2}), param({1})}, {param({1, 1, 1, 1}), {}}},
          .head = {},
          .pair = {linear(false), norm},
          .layer = Layer::make<"Lin">(linear()),
          .lstm = {gate(), gate(), gate(), gate()},
          .gru = {gate(), gate(), gate()},
          .group = {param({2}), {}},
          .instance = {param({2}), param({2})},
          .encoder = {{{attention, {linear(), linear()}, norm, norm}}},
          .decoder = {{{attention, attention, {linear(), linear()}, norm, norm, norm}}},
          .dropout = {},
          .stride = {}};
}

Plain plain() {
  return {.text = "größe",
          .yes = true,
          .f32 = 0.1F,
          .f64 = 0.1,
          .f16 = ss::half(1.5F),
          .u8 = 200,
          .i8 = -100,
          .u16 = 60000,
          .i16 = -300,
          .u32 = 4000000000,
          .i32 = -70000,
          .u64 = std::uint64_t{1} << 63U,
          .i64 = -(std::int64_t{1} << 40U),
          .floats = {1.5F, -2},
          .bytes = {0, 127, 255},
          .three = {1, -2, 3},
          .nothing = {},
          .something = "x",
          .pair = {7, "seven"},
          .rows = {{1, -2}, {}, {1000000}},
          .points = {{1, 2}, {3, 4}},
          .raw = {std::byte{9}, std::byte{255}},
          .counts = {{"a", 1}, {"b", -1}},
          .sides = {{Side::left, 1.5F}, {Side::right, 2}}};
}

template <class T>
std::string shown(const T& object) {
  return ss::to_string(ss::Value::from(object), {.items = 1000, .elements = 100});
}

/// What comes back of an object that a recorder took.
template <class Recorder, class T>
std::string again(const Recorder& recorder, const T& object, const ss::test::Folder& folder) {
  recorder.record(object, folder / "record");
  return shown(recorder.template load<T>(folder / "record"));
}

}  // namespace

TEST_CASE("modules and plain structs come back from every encoding, precision and version") {
  const ss::test::Folder folder;
  const std::string wanted = shown(model());
  const std::string wanted_plain = shown(plain());
  for (const std::string version : {"0.13", "0.14", "0.16", "0.17", "0.20.1", "0.21.0", ""}) {
    CAPTURE(version);
    const burn::RecorderOptions options{.burn_version = version};
    CHECK(again(burn::NamedMpkFileRecorder<>(options), model(), folder) == wanted);
    CHECK(again(burn::BinFileRecorder<>(options), model(), folder) == wanted);
    CHECK(again(burn::PrettyJsonFileRecorder<>(options), model(), folder) == wanted);
    CHECK(again(burn::NamedMpkFileRecorder<>(options), plain(), folder) == wanted_plain);
    CHECK(again(burn::BinFileRecorder<>(options), plain(), folder) == wanted_plain);
    CHECK(again(burn::PrettyJsonFileRecorder<>(options), plain(), folder) == wanted_plain);
  }
}

TEST_CASE("a vector of small matrices is a list of tensors, as one of large matrices is") {
  using Vectors = std::vector<Eigen::Vector3f>;
  using Matrices = std::map<std::string, std::vector<Eigen::Matrix2f>>;
  const Vectors vectors = {{1, 2, 3}, {4, 5, 6}};
  Matrices matrices = {{"none", {}}, {"two", std::vector<Eigen::Matrix2f>(2)}};
  for (Eigen::Matrix2f& matrix : matrices["two"]) matrix << 1, 2, 3, 4;
  const ss::test::Folder folder;
  for (const std::string version : {"0.13", "0.21"})
    for (const burn::Encoding encoding :
         {burn::Encoding::messagepack, burn::Encoding::bincode, burn::Encoding::json}) {
      CAPTURE(version);
      CAPTURE(static_cast<int>(encoding));
      const auto format = ss::formats::burn({.encoding = encoding, .burn_version = version});
      CHECK(ss::load<Vectors>(ss::save(vectors, {.format = format}), {.format = format}) ==
            vectors);
      const std::vector<std::byte> bytes = ss::save(matrices, {.format = format});
      CHECK(ss::load<Matrices>(bytes, {.format = format}) == matrices);
      if (encoding == burn::Encoding::bincode) continue;
      const ss::Value first = ss::load(bytes)["two"][0];
      CHECK(first.tensor().to_vector<float>() == std::vector<float>{1, 2, 3, 4});
      CHECK(first.attribute("burn.id")->kind() == ss::Kind::string);
      CHECK(ss::load<std::map<std::string, std::vector<Eigen::MatrixXf>>>(bytes)
                .at("two")
                .at(1)
                .isApprox(matrices.at("two").at(1)));
    }
  // Lists of numbers load, too.
  const std::string text = ss::test::json_record("[[1,2,null]]");
  const Vectors loaded = ss::load<Vectors>(ss::test::view_of(text));
  REQUIRE(loaded.size() == 1);
  CHECK(loaded[0][1] == 2);
  CHECK(std::isnan(loaded[0][2]));
}

TEST_CASE("through 0.11 the rows of an array have a length in bincode, as every array has") {
  using Rows = std::vector<std::array<std::array<std::int32_t, 1>, 2>>;
  const std::string item =
      "\x02"
      "\x02\x01\x02\x01\x04"
      "\x02\x01\x06\x01\x08";
  const auto load = [](const std::string& bytes, const std::string& version) {
    return ss::load<Rows>(ss::test::view_of(ss::test::bincode_record(bytes, version)));
  };
  const Rows rows = {{{{1}, {2}}}, {{{3}, {4}}}};
  CHECK(load(item, "0.11.1") == rows);
  CHECK(load("\x02\x02\x04\x06\x08", "0.12.0") == rows);
  const std::string longer = "\x01\x03\x01\x02\x01\x04\x01\x06";
  CHECK(error_of([&] { return load(longer, "0.11.1"); }) ==
        "shape_mismatch: at /: an array has another length than its type: expected tensor I32 [2, "
        "1], found 3 items (byte " +
            std::to_string(ss::test::bincode_record("", "0.11.1").size() + 2) +
            "). Check that the C++ type has the fields of the record, in its order.");
}

TEST_CASE("any precision that was stored is loaded into any that is asked for") {
  struct Item {
    burn::Param<> floats{quarters({2, 2})};
    burn::Bare<> integers{ss::Tensor::own(std::vector<std::int64_t>{-3, 7})};
  };
  const ss::test::Folder folder;
  const auto check = [&]<class Stored, class Wanted>(const Stored& stored, const Wanted& wanted,
                                                     ss::DType floats, ss::DType integers) {
    stored.record(Item{}, folder / "x");
    const Item item = wanted.template load<Item>(folder / "x");
    CHECK(item.floats.value.dtype() == floats);
    CHECK(item.integers.value.dtype() == integers);
    CHECK(item.floats.value.template to_vector<double>() ==
          std::vector<double>{0, 0.25, 0.5, 0.75});
    CHECK(item.integers.value.template to_vector<std::int64_t>() ==
          std::vector<std::int64_t>{-3, 7});
  };
  const auto each = [&]<class Settings>(Settings, ss::DType floats, ss::DType integers) {
    using burn::NamedMpkFileRecorder, burn::DoublePrecisionSettings, burn::FullPrecisionSettings,
        burn::HalfPrecisionSettings;
    const NamedMpkFileRecorder<Settings> wanted;
    check(NamedMpkFileRecorder<DoublePrecisionSettings>(), wanted, floats, integers);
    check(NamedMpkFileRecorder<FullPrecisionSettings>(), wanted, floats, integers);
    check(NamedMpkFileRecorder<HalfPrecisionSettings>(), wanted, floats, integers);
    const burn::PrettyJsonFileRecorder<Settings> json;
    check(burn::PrettyJsonFileRecorder<HalfPrecisionSettings>(), json, floats, integers);
    const burn::BinFileRecorder<Settings> bin;
    check(burn::BinFileRecorder<DoublePrecisionSettings>(), bin, floats, integers);
  };
  each(burn::DoublePrecisionSettings(), ss::DType::F64, ss::DType::I64);
  each(burn::FullPrecisionSettings(), ss::DType::F32, ss::DType::I32);
  each(burn::HalfPrecisionSettings(), ss::DType::F16, ss::DType::I16);
}

TEST_CASE("a record becomes a safetensors file and a record again, and loses nothing") {
  const ss::test::Folder folder;
  burn::NamedMpkFileRecorder<burn::DoublePrecisionSettings> recorder({.burn_version = "0.17.1"});
  recorder.record(model(), folder / "a");
  ss::convert_file(ss::open(folder / "a.mpk"), folder / "b.safetensors");
  ss::convert_file(ss::open(folder / "b.safetensors"), folder / "c.mpk");
  const auto content = [&](const char* name) {
    std::ifstream file(folder / name, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  CHECK(content("c.mpk") == content("a.mpk"));
}

TEST_CASE("optimizers and schedulers are records") {
  burn::OptimizerRecord<burn::AdamState> adam;
  using Ranked = burn::RankedState<burn::AdamState>;
  using Versioned = decltype(adam)::mapped_type;
  adam["72d17eukbtkma"] = Versioned::make<"V1">(Ranked::make<"Rank2">(burn::AdamState{
      {.time = 2, .moment_1 = {quarters({1})}, .moment_2 = {quarters({1})}, .max_moment_2 = {}}}));
  const ss::test::Folder folder;
  for (const std::string version : {"0.14", "0.21"}) {
    const burn::RecorderOptions options{.burn_version = version};
    CHECK(again(burn::BinFileRecorder<>(options), adam, folder) == shown(adam));
    CHECK(again(burn::NamedMpkFileRecorder<>(options), adam, folder) == shown(adam));
  }
  CHECK(ss::load_file(folder / "record.mpk").at("/72d17eukbtkma/V1/Rank2/momentum/time") ==
        ss::Value(2));
  const std::uint64_t step = ~std::uint64_t{0};
  CHECK(again(burn::BinFileRecorder<>(), step, folder) == shown(step));
}

TEST_CASE("BF16 is refused for 0.13, whose half precision is F16") {
  const ss::Value item = ss::Value::dict({{"w", ss::Tensor::own<float>({1, 2.5F})}});
  const std::string problem =
      "unknown_dtype: at /w: this version of Burn does not have the dtype: expected ";
  const std::string advice =
      ". Save it in another precision, or for Burn 0.14 or newer (burn::Options::burn_version).";
  const std::string others = "F32 or F64, or F16 as the precision of all floats, found ";
  struct Item {
    burn::Bare<> w{ss::Tensor::own<float>({1, 2.5F})};
  };
  for (const burn::Encoding encoding :
       {burn::Encoding::messagepack, burn::Encoding::bincode, burn::Encoding::json}) {
    CAPTURE(static_cast<int>(encoding));
    const auto error = [&](const std::string& version, const ss::Precision& precision) {
      return error_of([&] {
        return ss::save(
            Item{}, {.format = ss::formats::burn({.encoding = encoding, .burn_version = version}),
                     .precision = precision});
      });
    };
    CHECK(error("0.13", ss::Precision::bf16) == problem + others + "BF16" + advice);
    CHECK(error("0.14", ss::Precision::bf16) == "no error");
    CHECK(error("0.13", ss::Precision::f16) == "no error");
  }
  const auto save = [](const ss::Value& value, const ss::Precision& precision) {
    return ss::save(
        value, {.format = ss::formats::burn({.burn_version = "0.13"}), .precision = precision});
  };
  // Under another precision it becomes what the settings say.
  const ss::Value brain = item["w"].tensor().to(ss::DType::BF16);
  const ss::Value loaded = ss::load(save(ss::Value::dict({{"w", brain}}), ss::Precision::preserve));
  CHECK(loaded["w"].tensor().dtype() == ss::DType::F32);
  CHECK(loaded["w"].tensor().to_vector<float>() == std::vector<float>{1, 2.5F});
  // But a plain tensor is stored as it is.
  const auto plain = [&](ss::DType dtype, const ss::Precision& precision) {
    const ss::Value tensor = item["w"].tensor().to(dtype);
    return error_of(
        [&] { return save(ss::Value::dict({{"w", ss::Value(tensor).plain()}}), precision); });
  };
  CHECK(plain(ss::DType::BF16, ss::Precision::preserve) == problem + others + "BF16" + advice);
  CHECK(plain(ss::DType::F16, ss::Precision::preserve) == problem + others + "F16" + advice);
  CHECK(plain(ss::DType::BF16, ss::Precision::f16) ==
        problem + "F16, F32 or F64, found BF16" + advice);
  CHECK(plain(ss::DType::F16, ss::Precision::f16) == "no error");
}

TEST_CASE("U16 is refused for the versions that do not have it, whatever the encoding") {
  struct Item {
    ss::Tensor w = ss::Tensor::own<std::uint16_t>({1, 65535});
  };
  for (const burn::Encoding encoding :
       {burn::Encoding::messagepack, burn::Encoding::bincode, burn::Encoding::json}) {
    CAPTURE(static_cast<int>(encoding));
    const auto error = [&](const std::string& version, const ss::Precision& precision = {}) {
      return error_of([&] {
        return ss::save(
            Item(), {.format = ss::formats::burn({.encoding = encoding, .burn_version = version}),
                     .precision = precision});
      });
    };
    for (const std::string version : {"0.14", "0.15.1"})
      CHECK(error(version) ==
            "unknown_dtype: at /w: this version of Burn does not have the dtype: expected I8, I16, "
            "I32, I64, U8, U32 or U64, found U16. Save it in another precision, or for Burn 0.16 "
            "or newer (burn::Options::burn_version).");
    CHECK(error("0.15", {.floats = {}, .integers = ss::DType::I32}) == "no error");
    CHECK(error("0.16") == "no error");
    // All integers of 0.13 have the dtype that the settings say.
    CHECK(error("0.13") == "no error");
  }
}
