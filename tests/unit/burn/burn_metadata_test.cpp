/// \file
/// The metadata of records that are converted: what is kept, what is said anew, what is left out,
/// and which records of the real Burn come back byte for byte.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
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
namespace fs = std::filesystem;
using ss::test::error_of;
using ss::test::json_record;
using ss::test::text_of;
using ss::test::view_of;

namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

const std::string recorder = "burn_core::record::file::";
const std::string full = "<burn_core::record::settings::FullPrecisionSettings>";

/// A record of these metadata in JSON, whose item is a tensor of 1.5.
std::string record_of(const Texts& metadata) {
  std::string text = R"({"metadata":{)";
  for (const auto& [name, value] : metadata)
    text.append(text.ends_with('{') ? "" : ",").append("\"" + name + "\":\"" + value + "\"");
  return text + R"(},"item":{"bytes":[0,0,192,63],"shape":[1],"dtype":"F32"},"_b":null})";
}

/// The metadata of a record that was converted.
Texts converted(const Texts& from, const burn::Options& burn, const ss::Precision& precision,
                const ss::Metadata& asked = {}) {
  const std::string record = record_of(from);
  const ss::Document document = ss::Document::from_bytes(view_of(record), nullptr);
  ss::Metadata metadata = asked;
  metadata.insert(document.metadata().begin(), document.metadata().end());
  const std::vector<std::byte> saved =
      ss::save(document.root(),
               {.format = ss::formats::burn(burn), .metadata = metadata, .precision = precision});
  const ss::Metadata found = ss::Document::from_bytes(saved, nullptr).metadata();
  Texts texts;
  for (const char* const name : {"float", "int", "format", "version", "settings"})
    texts.emplace_back(name, found.at(std::string("burn.") + name));
  return texts;
}

Texts metadata_of(std::string floats, std::string ints, std::string format, std::string settings,
                  std::string version = "0.17.1") {
  return {{"float", std::move(floats)},
          {"int", std::move(ints)},
          {"format", std::move(format)},
          {"version", std::move(version)},
          {"settings", std::move(settings)}};
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the metadata of a record stay as they are while they say what is written") {
  const burn::Options json{.encoding = burn::Encoding::json};
  for (const Texts& texts :
       {metadata_of("f32", "i32", recorder + "JsonGzFileRecorder" + full, "FullPrecisionSettings"),
        // Some old files say so.
        metadata_of("f32", "f32", recorder + "JsonGzFileRecorder" + full, "FullPrecisionSettings"),
        // Of programs that have a recorder and settings of their own.
        metadata_of("half::bfloat::bf16", "u8", "mine", "MySettings"),
        metadata_of("zz", "", "mine", "FullPrecisionSettings")}) {
    Texts wanted = texts;
    for (auto& [name, text] : wanted)
      if (text.empty()) text = "i32";
    CHECK(converted(texts, json, ss::Precision::preserve) == wanted);
  }
}

TEST_CASE("another precision or encoding is what the metadata say") {
  const Texts from = metadata_of("f32", "f32", recorder + "NamedMpkGzFileRecorder" + full,
                                 "FullPrecisionSettings");
  CHECK(converted(from, {}, ss::Precision::f16) ==
        metadata_of("half::binary16::f16", "i16",
                    recorder + "NamedMpkFileRecorder<burn_core::record::settings::"
                               "HalfPrecisionSettings>",
                    "HalfPrecisionSettings"));
  CHECK(converted(from, {.encoding = burn::Encoding::pretty_json}, ss::Precision::preserve) ==
        metadata_of("f32", "f32", recorder + "PrettyJsonFileRecorder" + full,
                    "FullPrecisionSettings"));
  // The same encoding, packed or not.
  CHECK(converted(from, {}, ss::Precision::preserve) == from);
}

TEST_CASE("the metadata say what the tensors are, where a file in between says otherwise") {
  const ss::test::Folder folder;
  const auto settings_of = [&](ss::DType dtype, const ss::Precision& precision) {
    const ss::Value value =
        ss::Value::dict({{"w", ss::Tensor::own(std::vector<float>{1, 2}).to(dtype)},
                         {"n", ss::Tensor::own(std::vector<std::int64_t>{3})}});
    const ss::Metadata stale = {{"burn.settings", "FullPrecisionSettings"}, {"burn.float", "f32"}};
    ss::save_file(value, folder / "stale.bpk",
                  {.metadata = stale, .precision = ss::Precision::preserve});
    ss::convert_file(ss::open(folder / "stale.bpk"), folder / "record.mpk",
                     {.precision = precision});
    const ss::Metadata found = ss::open(folder / "record.mpk").metadata();
    return found.at("burn.settings") + " " + found.at("burn.float");
  };
  CHECK(settings_of(ss::DType::F16, ss::Precision::preserve) ==
        "HalfPrecisionSettings half::binary16::f16");
  CHECK(settings_of(ss::DType::F64, ss::Precision::preserve) == "DoublePrecisionSettings f64");
  CHECK(settings_of(ss::DType::F16, ss::Precision::f32) == "FullPrecisionSettings f32");
  // No settings have these floats.
  CHECK(settings_of(ss::DType::BF16, ss::Precision::preserve) == "FullPrecisionSettings f32");
}

TEST_CASE("what stands in place of a record's map, its metadata and their texts is named") {
  struct Thing {
    std::string messagepack;
    std::string json;
    std::string name;
  };
  const std::vector<Thing> things = {
      {"\xC0", "null", "null"},
      {"\xC2", "false", "a boolean"},
      {"\x05", "5", "a number"},
      {"\xA1s", R"("s")", "a string"},
      {"\xC4\x01s", "", "bytes"},
      {"\x91\x05", "[5]", "an array"},
      {"\x81\xA1k\x05", R"({"k":5})", "a map"},
  };
  const auto check = [](const std::string& bytes, burn::Encoding encoding,
                        const std::string& expected, const std::string& found) {
    const std::string error = error_of([&] {
      return ss::load(view_of(bytes), {.format = ss::formats::burn({.encoding = encoding})});
    });
    CHECK(error.starts_with("invalid_header: at /: the file is not a record of Burn: expected " +
                            expected + ", found " + found + " (byte "));
  };
  const std::string map = "a map with metadata and item";
  for (const Thing& one : things) {
    CAPTURE(one.name);
    const burn::Encoding mpk = burn::Encoding::messagepack;
    const burn::Encoding json = burn::Encoding::json;
    if (one.name != "a map") check(one.messagepack, mpk, map, one.name);
    if (one.name != "a map")
      check("\x81\xA8metadata" + one.messagepack, mpk, "a map of metadata", one.name);
    if (one.name != "a string")
      check("\x81\xA8metadata\x81\xA3int" + one.messagepack, mpk, "a text for 'int'", one.name);
    // A key that is no text; a number may be the index of a variant.
    if (one.name != "a string" && one.name != "a number")
      CHECK(error_of([&] {
              return ss::load(view_of("\x81" + one.messagepack + "\xC0"),
                              {.format = ss::formats::burn()});
            }) == "invalid_header: at /: a key is not a text: expected a string, found " +
                      one.name + " (byte 1).");
    if (one.json.empty()) continue;
    if (one.name != "a map") check(one.json, json, map, one.name);
    if (one.name != "a map")
      check("{\"metadata\":" + one.json + "}", json, "a map of metadata", one.name);
    if (one.name != "a string")
      check("{\"metadata\":{\"int\":" + one.json + "}}", json, "a text for 'int'", one.name);
  }
}

TEST_CASE("metadata that are asked for are in the record") {
  const Texts from =
      metadata_of("f32", "i32", recorder + "NamedMpkFileRecorder" + full, "FullPrecisionSettings");
  const ss::Metadata asked = {{"burn.float", "zz"}, {"burn.format", "mine"}};
  CHECK(converted(from, {}, ss::Precision::preserve, asked) ==
        metadata_of("zz", "i32", "mine", "FullPrecisionSettings"));
  CHECK(converted(from, {}, ss::Precision::f16, asked) ==
        metadata_of("zz", "i16", "mine", "HalfPrecisionSettings"));
  CHECK(converted(from, {}, ss::Precision::preserve, {{"burn.settings", "Mine"}})[4].second ==
        "Mine");
  // A reader of 0.13 takes the numbers for what the metadata say.
  CHECK(error_of([&] {
          return ss::save(1.5, {.format = ss::formats::burn(),
                                .metadata = {{"burn.float", "zz"}, {"burn.version", "0.13.2"}}});
        }) ==
        "invalid_argument: the metadata contradict the settings of the record: expected burn.float "
        "= 'f32', found 'zz'. Give what is expected as metadata (--metadata burn.float=f32 in the "
        "tool), or another burn.settings.");
}

TEST_CASE("metadata about another container are left out, other metadata are kept") {
  const auto error = [](const ss::Metadata& metadata) {
    return error_of(
        [&] { return ss::save(1, {.format = ss::formats::burn(), .metadata = metadata}); });
  };
  CHECK(error({{"format", "pt"}}) == "no error");
  CHECK(error({{"format", "burnpack"}, {"producer", "burn"}, {"version", "0.21.0"}}) == "no error");
  const std::string problem =
      "invalid_argument: a record of Burn cannot hold other metadata: expected burn.version, "
      "burn.settings and the like, found ";
  const std::string advice =
      ". Save as safetensors or burnpack (.bpk), which have them, or make it a field of the "
      "structure.";
  CHECK(error({{"format", "poem"}}) == problem + "'format'" + advice);
  CHECK(error({{"format", "pt"}, {"version", "2"}}) == problem + "'version'" + advice);
  CHECK(error({{"producer", "burn"}}) == problem + "'producer'" + advice);
  const ss::test::Folder folder;
  const fs::path golden = SAFESTRUCTURES_TEST_DATA "/golden/burn/0.21/rich_half.bpk";
  ss::convert_file(ss::open(golden), folder / "rich.mpk", {.precision = ss::Precision::preserve});
  CHECK(ss::open(folder / "rich.mpk").metadata().at("burn.version") == "0.21.0");
}

TEST_CASE("records of the real Burn come back from safetensors byte for byte") {
  const ss::test::Folder folder;
  std::set<std::string> others;
  std::size_t count = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(SAFESTRUCTURES_TEST_DATA "/golden/burn")) {
    const fs::path& path = entry.path();
    const bool is_packed = path.extension() == ".gz";
    if (path.extension() != ".mpk" && path.stem().extension() != ".mpk") continue;
    CAPTURE(path);
    const ss::SaveOptions options{.precision = ss::Precision::preserve};
    ss::convert_file(ss::open(path), folder / "between.safetensors", options);
    ss::convert_file(ss::open(folder / "between.safetensors"), folder / "again.mpk", options);
    // What gzip makes of the same bytes depends on the compressor.
    const std::shared_ptr<const ss::Source> source =
        is_packed ? ss::gzip::unpacked(ss::Source::open(path)) : ss::Source::open(path);
    const ss::SharedBytes wanted = source->view(0, static_cast<std::size_t>(source->size()));
    if (contents(folder / "again.mpk") != text_of(wanted.bytes))
      others.insert(path.filename().string());
    ++count;
  }
  CHECK(count > 100);
  // Their scalars of type f32 come back as doubles, which Burn reads as well.
  CHECK(others == std::set<std::string>{"odd_floats.full.mpk", "primitives.full.mpk"});
}
