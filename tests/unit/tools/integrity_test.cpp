/// \file
/// Checksums of what is stored.
#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/formats/safestructures/checksums.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>
#include <safestructures/tools/verify.hpp>

#include "support/codec.hpp"
#include "support/memory_source.hpp"
#include "support/platform_folder.hpp"

namespace {

namespace ss = safestructures;
using codec_test::error_of;
using platform_test::Folder;
using ss::test::MemorySource;

using Model = std::map<std::string, std::vector<double>>;

Model model() { return {{"a", {1, 2, 3}}, {"b", {4, 5}}, {"c", {}}}; }

ss::SaveOptions with_checksums() { return {.metadata = {{"run", "42"}}, .checksums = true}; }

std::vector<std::byte> saved() { return ss::save(model(), with_checksums()); }

/// Where the bytes of a tensor begin in the file.
std::size_t offset_of(const std::vector<std::byte>& bytes, std::string_view name) {
  const auto file = ss::safetensors::File::from_bytes(bytes, nullptr);
  return static_cast<std::size_t>(file.file_offset(file.find(name).value()));
}

void flip(std::vector<std::byte>& bytes, std::size_t at, unsigned bit = 0) {
  bytes[at] ^= static_cast<std::byte>(1U << bit);
}

/// The same file with `from` in its header replaced by `to`, of the same length.
std::vector<std::byte> replaced(std::vector<std::byte> bytes, const std::string& from,
                                const std::string& to) {
  std::string text(bytes.size(), '\0');
  std::memcpy(text.data(), bytes.data(), bytes.size());
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(from.size() == to.size());
  std::memcpy(bytes.data() + at, to.data(), to.size());
  return bytes;
}

std::string verify_error(const std::vector<std::byte>& bytes) {
  return error_of([&] { return ss::load(bytes, {.verify_checksums = true}); });
}

/// Saves the model in two shards; where their index is.
std::filesystem::path save_two_shards(const Folder& folder) {
  ss::SaveOptions options = with_checksums();
  options.shard_size = 16;
  ss::save_file(model(), folder / "m.safetensors", options);
  return folder / "m.safetensors.index.json";
}

}  // namespace

TEST_CASE("checksums are one text in the metadata that users do not see") {
  const std::vector<std::byte> bytes = saved();
  const auto file = ss::safetensors::File::from_bytes(bytes, nullptr);
  // Computed with Python's xxhash 4.1 over the stored bytes; the schema's over its text and
  // "\na F32 [3]\nb F32 [2]\nc F32 [0]"; the metadata's with libxxhash over "1.0.0" and "42".
  CHECK(
      file.metadata(ss::checksums::metadata_key) ==
      R"({"algorithm":"XXH3-64","schema":"02f0aec769a322cb","metadata":{"_safestructures_schema_version_":"9fb2199fe763b444","run":"1217cb28c0ef2191"},"tensors":{"a":"7977fbb9ac817d62","b":"0cb36c43c9171e3b","c":"2d06800538d394c2"}})");
  const auto document = ss::Document::from_bytes(bytes, nullptr);
  CHECK(document.metadata() == ss::Metadata{{"run", "42"}});
  CHECK(document.as<Model>() == model());
  CHECK(ss::load<Model>(bytes, {.verify_checksums = true}) == model());
}

TEST_CASE("a file, a stream and memory get the same checksums") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  ss::save_file(model(), path, with_checksums());
  std::ostringstream stream;
  ss::save(model(), stream, with_checksums());
  CHECK(platform_test::get(path) == stream.str());
  const std::vector<std::byte> bytes = saved();
  CHECK(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == stream.str());
}

TEST_CASE("what is stored in another dtype, strided or in several blocks has the right checksum") {
  std::vector<double> numbers(100'003);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) / 7;
  const ss::Tensor tensor = ss::Tensor::of<double>(numbers);
  const std::array<std::size_t, 2> transposed = {1, 0};
  const ss::Value value = ss::Value::list(
      {tensor, ss::Tensor::of<double>(std::span<const double>(numbers).first(100'000), {250, 400})
                   .permute(transposed)});
  for (const auto precision : {ss::Precision::f32, ss::Precision::preserve, ss::Precision::bf16}) {
    const auto bytes = ss::save(value, {.precision = precision, .checksums = true});
    CHECK(ss::checksums::verify(ss::safetensors::File::from_bytes(bytes, nullptr)));
  }
}

TEST_CASE("a damaged tensor is named, whichever way the file is opened") {
  const Folder folder;
  std::vector<std::byte> bytes = saved();
  const std::size_t offset = offset_of(bytes, "b");
  flip(bytes, offset + 3, 5);
  const auto path = folder / "m.safetensors";
  platform_test::put(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
    const std::string text =
        error_of([&] { return ss::load_file(path, {.access = access, .verify_checksums = true}); });
    CHECK(text ==
          fmt::format("checksum_mismatch: {}: at b: the bytes of a tensor are not those that "
                      "were saved: expected checksum 0cb36c43c9171e3b, found f929b6b8d46b1e23 "
                      "(byte {}). Get the "
                      "file again from where it came from.",
                      path.string(), offset));
    CHECK_NOTHROW(static_cast<void>(ss::load_file(path, {.access = access})));
  }
}

TEST_CASE("of several damaged tensors all are named") {
  std::vector<std::byte> bytes =
      ss::save(std::vector<std::vector<float>>(12, std::vector<float>{1, 2}), {.checksums = true});
  for (int i = 0; i < 12; ++i) flip(bytes, offset_of(bytes, std::to_string(i)));
  const std::string text = verify_error(bytes);
  CHECK(text.find(
            "at 0: the bytes of 12 tensors are not those that were saved, this one and \"1\", "
            "\"10\", \"11\", \"2\", \"3\", \"4\", \"5\", \"6\" and 3 more: expected checksum ") !=
        std::string::npos);
}

TEST_CASE("damage to the schema or to a tensor's description is found") {
  const std::string expected =
      "checksum_mismatch: the schema, or a tensor's dtype or shape, is not the one that was saved: "
      "expected checksum 02f0aec769a322cb, found ";
  CHECK(verify_error(replaced(saved(), R"(\"data_type\": \"dict\")", R"(\"data_type\": \"DICT\")"))
            .starts_with(expected));
  CHECK(verify_error(
            replaced(saved(), R"("dtype":"F32","shape":[2])", R"("dtype":"I32","shape":[2])"))
            .starts_with(expected));
  CHECK(
      verify_error(replaced(saved(), R"("b":{"dtype")", R"("B":{"dtype")")) ==
      "missing_tensor: at b: the file lacks a tensor that has a checksum. A tensor was removed or "
      "renamed after the file was saved.");
}

TEST_CASE("damage to the user's metadata or to the schema's version is found and named") {
  CHECK(verify_error(replaced(saved(), R"("run":"42")", R"("run":"43")")) ==
        "checksum_mismatch: the metadata of key \"run\" is not what was saved: expected checksum "
        "1217cb28c0ef2191, found e2c3a37ac509f8d0. Get the file again from where it came from.");
  CHECK(verify_error(replaced(saved(), R"("run":"42")", R"("ran":"42")")) ==
        "checksum_mismatch: the file lacks metadata that has a checksum, of key \"run\". It was "
        "removed or renamed after the file was saved.");
  CHECK(verify_error(
            replaced(saved(), R"(_schema_version_":"1.0.0")", R"(_schema_Version_":"1.0.0")")) ==
        "checksum_mismatch: the file lacks metadata that has a checksum, of key "
        "\"_safestructures_schema_version_\". It was removed or renamed after the file was saved.");
}

TEST_CASE("metadata that was added later, or checksums without it, are no damage") {
  const std::vector<std::byte> bytes = saved();
  const auto file = ss::safetensors::File::from_bytes(bytes, nullptr);
  std::vector<ss::Tensor> tensors;
  std::vector<ss::safetensors::Item> items;
  for (std::size_t i = 0; i < file.size(); ++i) tensors.push_back(file.tensor(i));
  for (std::size_t i = 0; i < file.size(); ++i) items.emplace_back(file.name(i), tensors[i]);
  ss::Metadata metadata;
  for (const auto& entry : file.metadata()) metadata.emplace(entry.key, entry.value);
  const auto load_again = [&] {
    return ss::load<Model>(ss::safetensors::to_bytes(items, metadata), {.verify_checksums = true});
  };
  metadata.emplace("format", "pt");
  CHECK(load_again() == model());
  std::string& text = metadata.find(ss::checksums::metadata_key)->second;
  const std::size_t begin = text.find(R"("metadata")");
  text.erase(begin, text.find(R"("tensors")") - begin);
  metadata.insert_or_assign("run", "43");
  CHECK(load_again() == model());
}

TEST_CASE("a file without checksums is refused when they are asked for, and only then") {
  const std::vector<std::byte> bytes = ss::save(model());
  CHECK_FALSE(ss::checksums::verify(ss::safetensors::File::from_bytes(bytes, nullptr)));
  CHECK_NOTHROW(static_cast<void>(ss::load(bytes)));
  CHECK(
      verify_error(bytes) ==
      "checksum_mismatch: the file has no checksums. Save it with SaveOptions::checksums, or load "
      "it without LoadOptions::verify_checksums.");
}

TEST_CASE("malformed checksums are an error") {
  struct Case {
    std::string text;
    std::string error;
  };
  const std::string rest =
      ": expected the form that docs/format.md gives for _safestructures_checksums_.";
  const std::vector<Case> cases = {
      {"", "invalid_metadata: the checksums are not a JSON object" + rest},
      {"[]", "invalid_metadata: the checksums are not a JSON object" + rest},
      {"[[[[[[[[", "invalid_metadata: the checksums are not a JSON object" + rest},
      {"{}", "invalid_metadata: the checksums do not name their algorithm" + rest},
      {R"({"algorithm":3})", "invalid_metadata: the checksums do not name their algorithm" + rest},
      {R"({"algorithm":"CRC32"})",
       "unsupported_version: the checksums have an unknown algorithm: expected XXH3-64, found "
       "\"CRC32\". Check the file with a newer safestructures."},
      {R"({"algorithm":"XXH3-64"})",
       "invalid_metadata: the checksums lack one for the schema" + rest},
      {R"({"algorithm":"XXH3-64","schema":1})",
       "invalid_metadata: a checksum is not text of 16 lowercase hexadecimal digits" + rest},
      {R"({"algorithm":"XXH3-64","schema":"0123456789abcdef"})",
       "invalid_metadata: the checksums lack those of tensors" + rest},
      {R"({"algorithm":"XXH3-64","schema":"0123456789abcdef","tensors":[]})",
       "invalid_metadata: the checksums lack those of tensors" + rest},
      {R"({"algorithm":"XXH3-64","schema":"0123456789abcde","tensors":{}})",
       "invalid_metadata: a checksum is not text of 16 lowercase hexadecimal digits" + rest},
      {R"({"algorithm":"XXH3-64","schema":"0123456789abcdef0","tensors":{}})",
       "invalid_metadata: a checksum is not text of 16 lowercase hexadecimal digits" + rest},
      {R"({"algorithm":"XXH3-64","schema":"0123456789abcdeg","tensors":{}})",
       "invalid_metadata: a checksum is not text of 16 lowercase hexadecimal digits" + rest},
      {R"({"algorithm":"XXH3-64","schema":"0123456789abcdEf","tensors":{}})",
       "invalid_metadata: a checksum is not text of 16 lowercase hexadecimal digits" + rest},
      {R"({"algorithm":"XXH3-64","schema":"0123456789abcdef","metadatb":{},"tensors":{}})",
       "invalid_metadata: at metadatb: the checksums have an unknown part" + rest},
      {R"({"algorithm":"XXH3-64","schema":"0123456789abcdef","metadata":[],"tensors":{}})",
       "invalid_metadata: the checksums of the metadata are not an object" + rest},
      {R"({"algorithm":"XXH3-64","schema":"0123456789abcdef","tensors":{}})",
       "checksum_mismatch: at a: a tensor has no checksum although others have. A tensor was added "
       "or renamed after the file was saved."},
      {R"({"algorithm":"XXH3-64","schema":"0123456789abcdef","tensors":{"a":"-123456789abcdef"}})",
       "invalid_metadata: at a: a checksum is not text of 16 lowercase hexadecimal digits" + rest},
      {R"({"algorithm":"XXH3-64","schema":"0123456789abcdef","tensors":)"
       R"({"a":"0123456789abcdef","a":"0123456789abcdef"}})",
       "duplicate_name: at a: a tensor has two checksums."},
  };
  const std::array<float, 1> numbers = {1};
  const ss::Tensor tensor = ss::Tensor::of<float>(numbers);
  for (const Case& one : cases) {
    const auto bytes =
        ss::safetensors::to_bytes(std::vector<ss::safetensors::Item>{{"a", tensor}},
                                  {{std::string(ss::checksums::metadata_key), one.text}});
    CAPTURE(one.text);
    CHECK(verify_error(bytes) == one.error);
  }
}

TEST_CASE("what cannot be saved has the same error with checksums and without") {
  const ss::Value one = ss::Tensor::own<float>({1});
  const ss::Value large = ss::Tensor::own<float>({1e6F});
  struct Case {
    ss::Value value;
    ss::SaveOptions options;
    std::string error;
  };
  const Case cases[] = {
      {ss::Value::dict({{"\xFF", one}}),
       {.schema = false},
       "invalid_utf8: the name of a tensor is not valid UTF-8: found \"\\xff\"."},
      {ss::Value::dict({{"a", one}}),
       {.metadata = {{"\xFF", "x"}}},
       "invalid_utf8: a key of the metadata is not valid UTF-8: found \"\\xff\"."},
      {ss::Value::dict({{"a", one}, {"b", large}}),
       {.precision = ss::Precision::f16},
       "out_of_range: at b: element 0 cannot be converted from F32 to F16: expected a number from "
       "-65504 to 65504, found 1000000. Choose a dtype of wider range, or let numbers saturate "
       "(Overflow::saturate, or convert --overflow in the tool)."},
  };
  for (const Case& test : cases)
    for (const bool checksums : {false, true}) {
      CAPTURE(checksums);
      ss::SaveOptions options = test.options;
      options.checksums = checksums;
      CHECK(error_of([&] { return ss::save(test.value, options); }) == test.error);
    }
}

TEST_CASE("the user's metadata cannot have the name of the checksums") {
  const std::string key(ss::checksums::metadata_key);
  CHECK(error_of([&] { return ss::save(model(), {.metadata = {{key, ""}}}); }) ==
        "invalid_argument: the metadata has a key that is reserved for the schema: found "
        "'_safestructures_checksums_'. Choose another key.");
}

TEST_CASE("shards have checksums of all tensors together") {
  const Folder folder;
  const auto index = save_two_shards(folder);
  CHECK(ss::load_file<Model>(index, {.verify_checksums = true}) == model());
}

TEST_CASE("a flipped bit in any file of a checkpoint with checksums is refused") {
  const Folder folder;
  const auto index = save_two_shards(folder);
  CHECK(ss::verify_file(index).has_checksums);
  const auto second = folder / "m-00002-of-00002.safetensors";
  for (const auto& path : {folder / "m-00001-of-00002.safetensors", second}) {
    CAPTURE(path);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto size = static_cast<int>(std::filesystem::file_size(path));
    for (int at = 0; at < size; ++at) {
      file.seekg(at);
      const int byte = file.get();
      file.seekp(at).put(static_cast<char>(byte ^ 1)).flush();
      const std::string error = error_of([&] { return ss::verify_file(index).tensor_bytes; });
      if (error == "no error") FAIL_CHECK("byte " << at);
      file.seekp(at).put(static_cast<char>(byte)).flush();
    }
  }
  CHECK(ss::verify_file(index).has_checksums);

  std::fstream file(second, std::ios::in | std::ios::out | std::ios::binary);
  std::string text(std::filesystem::file_size(second), ' ');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  file.seekp(static_cast<std::streamoff>(text.find("\"42\"") + 1)).put('9').flush();
  CHECK(error_of([&] { return ss::verify_file(index).tensor_bytes; }) ==
        "checksum_mismatch: " + second.string() +
            ": the files of a checkpoint do not have the same metadata: expected the metadata of "
            "\"m-00001-of-00002.safetensors\", found others. Get both files again from where they "
            "came from.");
}

TEST_CASE("checksums under another key are damage, not the user's metadata") {
  const auto bytes = replaced(saved(), "_safestructures_checksums_", "_safestructures_checksum3_");
  const std::string expected =
      "checksum_mismatch: the checksums have another key: expected "
      "\"_safestructures_checksums_\", found \"_safestructures_checksum3_\". Get the file again "
      "from where it came from.";
  CHECK(verify_error(bytes) == expected);
  const auto source = std::make_shared<MemorySource>("", bytes);
  CHECK(error_of([&] { return ss::verify_file(source).tensor_bytes; }) == expected);
  CHECK_NOTHROW(static_cast<void>(ss::load(bytes)));
}

TEST_CASE("every single-bit flip of a file with checksums is refused, loaded or verified") {
  const std::vector<std::byte> good = saved();
  CHECK(ss::verify_file(std::make_shared<MemorySource>("", good)).has_checksums);
  for (std::size_t at = 0; at < good.size(); ++at) {
    CAPTURE(at);
    for (unsigned bit = 0; bit < 8; ++bit) {
      CAPTURE(bit);
      std::vector<std::byte> bytes = good;
      flip(bytes, at, bit);
      REQUIRE(verify_error(bytes) != "no error");
      const auto source = std::make_shared<MemorySource>("", std::move(bytes));
      REQUIRE_THROWS_AS(ss::verify_file(source), ss::Error);
    }
  }
}
