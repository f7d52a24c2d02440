/// \file
/// Records of Burn: what is written, byte by byte, and what is refused.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include "support/burn_records.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
namespace burn = ss::burn;

using ss::test::error_of;
using ss::test::json_record;
using ss::test::messagepack_record;
using ss::test::quarters;
using ss::test::text_of;
using ss::test::view_of;
using namespace std::string_literals;

TEST_CASE("a small record is these bytes of MessagePack") {
  const burn::NamedMpkBytesRecorder<> recorder;
  struct Item {
    burn::Param<> w{ss::Tensor::own(std::vector<float>{1, -2}), "72d17eukbtkma"};
    std::optional<int> none;
    std::int32_t n = -5;
  };
  const std::string bytes = text_of(recorder.record(Item{}));
  CHECK(bytes ==
        "\x83\xA8metadata\x85\xA5"
        "float\xA3"
        "f32\xA3int\xA3i32\xA6"
        "format\xD9\x64"
        "burn_core::record::memory::NamedMpkBytesRecorder<burn_core::record::settings::"
        "FullPrecisionSettings>\xA7version\xA6"
        "0.21.0\xA8settings\xB5"
        "FullPrecisionSettings"
        "\xA4item\x83\xA1w\x82\xA2id\xAD"
        "72d17eukbtkma\xA5param\x83\xA5"
        "bytes\xC4\x08"
        "\0\0\x80\x3F\0\0\0\xC0\xA5shape\x91\x02\xA5"
        "dtype\xA3"
        "F32\xA4none\xC0\xA1n\xFB"
        "\xA2_b\x90"s);
}

TEST_CASE("a record that a recorder takes over lives as long as what it loads") {
  struct Item {
    ss::Tensor w = ss::Tensor::own(std::vector<float>(1000, 2));
  };
  const burn::NamedMpkBytesRecorder<> recorder;
  const auto item = recorder.load<Item>(recorder.record(Item{}));
  CHECK(item.w.to_vector<float>() == std::vector<float>(1000, 2));
}

TEST_CASE("a small record is these bytes of bincode") {
  const burn::BinBytesRecorder<> recorder;
  struct Item {
    burn::Param<> w{ss::Tensor::own(std::vector<float>{1}), "0123456789abc"};
    std::optional<int> none;
    std::optional<std::int32_t> n = -300;
    std::vector<std::uint16_t> v{250, 251};
    ss::Tensor flag = ss::Tensor::own(std::vector<float>{});
  };
  Item item;
  const bool yes = true;
  item.flag = ss::Tensor::of(std::span(&yes, 1));
  const std::string bytes = text_of(recorder.record(item));
  const std::string behind = bytes.substr(bytes.find("FullPrecisionSettings\x0D") + 21);
  // The id that is made anew is not spelled here: it follows from the place.
  const std::string id = behind.substr(behind.size() - 19, 13);
  CHECK(behind ==
        "\x0D"
        "0123456789abc\x04\0\0\x80\x3F\x01\x01\x01"
        "\0"
        "\x01\xFB\x57\x02"
        "\x02\xFA\xFB\xFB\0\x0D"s +
            id + "\x01\x01\x01\x01\x0D\0"s);
}

TEST_CASE("a small record is this JSON") {
  struct Item {
    burn::Param<> w{ss::Tensor::own(std::vector<float>{1}), "72d17eukbtkma"};
    float f = 0.1F;
    double whole = 2;
    std::vector<int> empty;
  };
  const ss::test::Folder folder;
  burn::PrettyJsonFileRecorder<>().record(Item{}, folder / "small");
  std::ifstream file(folder / "small.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CHECK(text.substr(text.find("  \"item\"")) == R"(  "item": {
    "w": {
      "id": "72d17eukbtkma",
      "param": {
        "bytes": [
          0,
          0,
          128,
          63
        ],
        "shape": [
          1
        ],
        "dtype": "F32"
      }
    },
    "f": 0.1,
    "whole": 2.0,
    "empty": []
  },
  "_b": null
})");
}

TEST_CASE("a number that the settings cannot hold is refused, by its path") {
  struct Item {
    burn::Param<> weight{ss::Tensor::own(std::vector<float>{1, 1e6F})};
  };
  const burn::NamedMpkBytesRecorder<burn::HalfPrecisionSettings> half;
  CHECK(
      error_of([&] { return half.record(Item{}); }) ==
      "out_of_range: at /weight: element 1 cannot be converted from F32 to F16: expected a number "
      "from -65504 to 65504, found 1000000. Choose a dtype of wider range, or let numbers saturate "
      "(Overflow::saturate, or convert --overflow in the tool).");
  const burn::NamedMpkBytesRecorder<burn::HalfPrecisionSettings> infinite(
      {.overflow = ss::Overflow::allow});
  CHECK(infinite.load<Item>(infinite.record(Item{})).weight.value.to_vector<float>()[1] ==
        std::numeric_limits<float>::infinity());
}

TEST_CASE("ids are kept; new ones are spelled as the version spells them, and always the same") {
  struct Item {
    burn::Param<> known{quarters({1}), "72d17eukbtkma"};
    burn::Param<> made{quarters({1})};
    ss::Tensor plain = quarters({1});
  };
  struct Ids {
    burn::Param<> known, made, plain;
  };
  const auto ids = [](std::string version) {
    const burn::NamedMpkBytesRecorder<> recorder({.burn_version = std::move(version)});
    return recorder.load<Ids>(recorder.record(Item{}));
  };
  const Ids now = ids("0.21");
  CHECK(now.known.id == "72d17eukbtkma");
  CHECK(now.made.id.size() == 13);
  CHECK(now.made.id.find_first_not_of("0123456789abcdefghijklmnopqrstuv") == std::string::npos);
  CHECK(now.made.id != now.plain.id);
  CHECK(ids("0.21").made.id == now.made.id);
  const Ids then = ids("0.14");
  CHECK(then.known.id == "72d17eukbtkma");
  CHECK(then.made.id.size() == 36);
  CHECK(then.made.id[14] == '8');
  CHECK(std::string("89ab").find(then.made.id[19]) != std::string::npos);
}

TEST_CASE("a tensor alone, a Bare one, and all where that is asked for are no parameters") {
  const burn::NamedMpkBytesRecorder<> recorder;
  const auto is_param = [](std::span<const std::byte> bytes, std::string_view path) {
    const ss::Value value = ss::load(bytes).at(path);
    return !value.attribute(ss::attributes::burn_id)->is_none();
  };
  CHECK_FALSE(is_param(recorder.record(quarters({2})), "/"));
  struct Item {
    ss::Tensor plain = quarters({1});
    burn::Bare<> bare{quarters({1})};
  };
  CHECK(is_param(recorder.record(Item{}), "/plain"));
  CHECK_FALSE(is_param(recorder.record(Item{}), "/bare"));
  const burn::NamedMpkBytesRecorder<> optimizer({.tensors = burn::Tensors::bare});
  CHECK_FALSE(is_param(optimizer.record(Item{}), "/plain"));
}

TEST_CASE("the extension replaces what follows the last dot") {
  using Gz = burn::NamedMpkGzFileRecorder<>;
  CHECK(burn::DefaultFileRecorder<>::file_of("model.v1") == "model.mpk");
  CHECK(Gz::file_of("dir/a.mpk.gz") == "dir/a.mpk.mpk.gz");
  CHECK(burn::BinGzFileRecorder<>::file_of("a") == "a.bin.gz");
  CHECK(burn::JsonGzFileRecorder<>::file_of("a") == "a.json.gz");
}

TEST_CASE("through 0.13 all floats of a record have one dtype, and so have all integers") {
  struct Item {
    burn::Bare<> floats{ss::Tensor::own(std::vector<double>{0.1})};
    burn::Bare<> integers{ss::Tensor::own(std::vector<std::int64_t>{5})};
  };
  const auto dtypes = [](std::string settings) {
    const std::vector<std::byte> bytes =
        ss::save(Item{}, {.format = ss::formats::burn({.burn_version = "0.13"}),
                          .metadata = {{"burn.settings", std::move(settings)}},
                          .precision = ss::Precision::preserve});
    const ss::Value value = ss::load(bytes);
    return std::pair(value["floats"].tensor().dtype(), value["integers"].tensor().dtype());
  };
  CHECK(dtypes("FullPrecisionSettings") == std::pair(ss::DType::F32, ss::DType::I32));
  CHECK(dtypes("DoublePrecisionSettings") == std::pair(ss::DType::F64, ss::DType::I64));
}

TEST_CASE("quantized tensors are kept as they are") {
  const std::string text = json_record(
      R"({"q":{"id":"a","param":{"bytes":[1,2,3,4,5],"shape":[1],"dtype":{"QFloat":{"value":"Q8S"}}}},)"
      R"("bare":{"bytes":[6,7,8,9,0],"shape":[1],"dtype":{"QFloat":{"value":"Q8S"}}}})");
  const ss::Value value = ss::load(view_of(text));
  CHECK(value["q"].type_name() == "burn.QFloat");
  const std::vector<std::byte> saved =
      ss::save(value, {.format = ss::formats::burn({.encoding = burn::Encoding::json}),
                       .metadata = {{"burn.version", "0.21.0"}}});
  const std::string again = text_of(saved);
  CHECK(again.substr(again.find("\"item\"")) == text.substr(text.find("\"item\"")));
  using Item = std::map<std::string, burn::Param<>>;
  CHECK(error_of([&] {
          return ss::save(value,
                          {.format = ss::formats::burn({.encoding = burn::Encoding::bincode}),
                           .type = &ss::type_info<Item>});
        }) ==
        "unknown_type: at /q: a record of Burn cannot hold a custom type: expected a module's "
        "values, found 'burn.QFloat'. Quantized tensors cannot be saved in bincode: save as "
        "MessagePack (.mpk).");
}

TEST_CASE("NaN is null in JSON and loads as NaN; infinities are refused there") {
  struct Item {
    double scale;
    std::vector<float> scales;
    std::optional<float> bound;
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const burn::Encoding encoding : {burn::Encoding::json, burn::Encoding::messagepack}) {
    const ss::SaveOptions options{.format = ss::formats::burn({.encoding = encoding})};
    const std::vector<std::byte> bytes =
        ss::save(Item{nan, {1, static_cast<float>(nan)}, {}}, options);
    const Item item = ss::load<Item>(bytes);
    CHECK(std::isnan(item.scale));
    CHECK(item.scales[0] == 1);
    CHECK(std::isnan(item.scales[1]));
    CHECK_FALSE(item.bound);
    CHECK(std::isnan(ss::Document::from_bytes(bytes, nullptr).at("/scale").as<double>()));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const ss::SaveOptions json{.format = ss::formats::burn({.encoding = burn::Encoding::json})};
  CHECK(error_of([&] { static_cast<void>(ss::save(Item{-infinity, {}, {}}, json)); }) ==
        "out_of_range: at /scale: JSON has no infinity: expected a finite number, found -inf. "
        "Record it as MessagePack or bincode.");
  CHECK(error_of([&] {
          static_cast<void>(ss::save(Item{1, {static_cast<float>(infinity)}, {}}, json));
        }) ==
        "out_of_range: at /scales: JSON has no infinity: expected a finite number, found inf. "
        "Record it as MessagePack or bincode.");
  // In MessagePack null is no number.
  const std::string record = messagepack_record(
      "\x83\xA5scale\xC0\xA6scales\x90\xA5"
      "bound\xC0");
  CHECK(error_of([&] { static_cast<void>(ss::load<Item>(view_of(record))); }) ==
        "type_mismatch: at /scale: a value has the wrong type: expected float, found None.");
}

TEST_CASE("values that a record cannot hold are refused, by their path") {
  const burn::NamedMpkBytesRecorder<> mpk;
  const burn::BinBytesRecorder<> bin;
  CHECK(error_of([&] { return mpk.record(std::map<int, int>{{1, 2}}); }) ==
        "type_mismatch: at /1: a key of a record is not a text: expected a str, found int 1.");
  CHECK(
      error_of([&] { return mpk.record(ss::Value::dict({{"z", std::complex<double>(1, 2)}})); }) ==
      "type_mismatch: at /z: a record of Burn cannot hold a complex number: expected a real "
      "number, found complex (1+2j). Save its two parts.");
  CHECK(error_of([&] { return mpk.record(std::vector<std::variant<int, bool>>{1}); }) ==
        "invalid_argument: at /0: a record of Burn names its variants, and std::variant does not: "
        "expected burn::Enum<burn::Case<\"Name\", T>, ...>, found i32 or bool.");
  CHECK(error_of([&] { return bin.record(std::complex<double>(1, 2)); }) ==
        "type_mismatch: at /: a record of Burn cannot hold a complex number: expected a real "
        "number, found complex (1+2j). Save its two parts.");
  CHECK(error_of([&] { return mpk.record(std::map<std::string, ss::float8_e4m3>{{"x", {}}}); }) ==
        "unknown_dtype: at /x: Burn has no such number: expected f16, bf16, f32 or f64, found "
        "F8_E4M3.");
  CHECK(error_of([&] {
          return mpk.record(ss::Value::dict({{"n", ss::Value::integer("-9223372036854775809")}}));
        }) ==
        "out_of_range: at /n: a record of Burn cannot hold an integer: expected one of 64 bits, "
        "found int -9223372036854775809.");
  CHECK(error_of([&] {
          return mpk.record(ss::Value::dict({{"c", ss::Value::custom("acme.Money", 5)}}));
        }) ==
        "unknown_type: at /c: a record of Burn cannot hold a custom type: expected a module's "
        "values, found 'acme.Money'.");
  CHECK(error_of([&] {
          return mpk.record(std::vector{ss::Tensor::own<std::complex<float>>({{1, 2}})});
        }) ==
        "unknown_dtype: at /0: Burn has no such dtype: expected BOOL, an integer, F16, BF16, F32, "
        "F64, found C64. Save it in another precision, or as safetensors.");
  CHECK(error_of([&] {
          return ss::save(std::vector{quarters({1, 1, 1})},
                          {.format = ss::formats::burn(), .limits = {.rank = 2}});
        }) ==
        "limit_exceeded: at /0: a tensor has too many dimensions: expected at most 2 "
        "(Limits::rank), found 3.");
  CHECK(error_of([&] { return bin.record(ss::Value(1)); }) ==
        "invalid_argument: at /: bincode needs a C++ type that says what is saved: expected an "
        "object of structs, containers and scalars, found int 1. Save an object instead of a "
        "Value, name its type in SaveOptions::type, or save as MessagePack (.mpk).");
  CHECK(error_of([&] {
          return ss::save(1, {.format = ss::formats::burn(), .metadata = {{"run", "42"}}});
        }) ==
        "invalid_argument: a record of Burn cannot hold other metadata: expected burn.version, "
        "burn.settings and the like, found 'run'. Save as safetensors or burnpack (.bpk), which "
        "have them, or make it a field of the structure.");
  CHECK(error_of([&] { return ss::save(1, {.format = ss::formats::burn(), .shard_size = 1}); }) ==
        "invalid_argument: a record of Burn does not support a save option: found "
        "SaveOptions::shard_size. Leave the option out, or save as safetensors.");
  CHECK(error_of([&] { return burn::BinBytesRecorder<>({.burn_version = "0.22"}).record(1); }) ==
        "unsupported_version: records cannot be written for this version of Burn: expected 0.13 to "
        "0.21, "
        "found '0.22'. Set burn::Options::burn_version, or in the tool --metadata "
        "burn.version=0.21.0; Burn 0.22 has no recorders: save as burnpack (.bpk).");
  const burn::LayerNorm norm{{quarters({2})}, {}};
  CHECK(error_of([&] { return burn::BinBytesRecorder<>({.burn_version = "0.17"}).record(norm); }) ==
        "missing_field: at /beta: this version of Burn needs a field: expected a tensor, found "
        "none. Write for a newer version (burn::Options::burn_version).");
}
