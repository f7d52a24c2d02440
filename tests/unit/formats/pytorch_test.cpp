/// \file
/// Files of `torch.save`: what PyTorch wrote loads, typed and dynamic, under every access.
/// tests/golden/make_pytorch.py wrote them. What is malformed is in pytorch_malformed_test.cpp.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <safestructures/data/walk.hpp>
#include <safestructures/safestructures.hpp>
#include "support/binary_files.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/memory_source.hpp"
#include "support/pytorch_cases.hpp"

namespace ss = safestructures;
namespace pickled = ss::test::pickled;
using ss::test::bytes_of;
using ss::test::error_of;
using ss::test::Folder;
using ss::test::PytorchFile;
using ss::test::text_of_file;

namespace {

const auto golden = std::filesystem::path(SAFESTRUCTURES_TEST_DATA) / "golden" / "pytorch";

struct Linear {
  std::vector<std::vector<float>> weight;
  std::vector<float> bias;
  bool operator==(const Linear&) const = default;
};
struct Model {
  std::vector<Linear> layers;
  std::int64_t steps = 0;
  bool operator==(const Model&) const = default;
};
const Model expected{
    .layers = {{{{0, 2, 4}, {1, 3, 5}}, {0.5F, -0.5F}}, {{{-1, 0}, {1, 2}}, {7, 8}}}, .steps = 3};

struct Checkpoint {
  Model model;
  int epoch = 0;
  std::vector<Model> history;
  bool operator==(const Checkpoint&) const = default;
};

constexpr std::array accesses = {ss::Access::map, ss::Access::read, ss::Access::memory};

}  // namespace

TEST_CASE("a state dict loads as a struct, as a map and as a Value") {
  for (const char* name : {"state.pt", "old.pt"})
    for (const ss::Access access : accesses) {
      CAPTURE(name);
      CAPTURE(static_cast<int>(access));
      const auto path = golden / name;
      CHECK(ss::load_file<Model>(path, {.access = access}) == expected);
      const auto tensors =
          ss::load_file<std::map<std::string, ss::Tensor>>(path, {.access = access});
      REQUIRE(tensors.size() == 5);
      CHECK(tensors.at("layers.0.weight").to_vector<float>() ==
            std::vector<float>{0, 2, 4, 1, 3, 5});
      const ss::Value any = ss::load_file(path, {.access = access});
      CHECK(any.at("/layers/1/bias").tensor().to_vector<float>() == std::vector<float>{7, 8});
      CHECK(any.at("/layers/1/bias").tensor_name() == "layers.1.bias");
      const ss::Document document = ss::open(path, {.access = access});
      CHECK(document.at("/layers/0").as<Linear>() == expected.layers[0]);
      CHECK_FALSE(document.has_schema());
      CHECK(document.content().tensor_count == 5);
      CHECK(document.content().tensor_bytes == 24 + 8 + 16 + 8 + 8);
      CHECK(document.content().description == "none: a state dict of PyTorch");
      CHECK(document.content().files == std::vector<std::filesystem::path>{path});
    }
}

TEST_CASE("a checkpoint in several files loads by its index") {
  const auto path = golden / "sharded.bin.index.json";
  for (const ss::Access access : accesses) {
    CAPTURE(static_cast<int>(access));
    CHECK(ss::load_file<Model>(path, {.access = access, .verify_checksums = true}) == expected);
  }
  const ss::Document document = ss::open(path);
  CHECK(document.content().tensor_count == 5);
  CHECK(document.content().tensor_bytes == 64);
  CHECK(document.content().files == std::vector{path, golden / "sharded-00001-of-00002.bin",
                                                golden / "sharded-00002-of-00002.bin"});
  CHECK(document.as<std::map<std::string, ss::Tensor>>().size() == 5);
}

TEST_CASE("an index and files that do not belong together are refused") {
  const Folder folder;
  for (const char* name : {"sharded-00001-of-00002.bin", "sharded-00002-of-00002.bin"})
    std::filesystem::copy_file(golden / name, folder / name);
  const std::string good = text_of_file(golden / "sharded.bin.index.json");
  const auto index = folder / "sharded.bin.index.json";
  const auto error_of_index = [&](std::string_view text) {
    std::ofstream(index, std::ios::binary) << text;
    return error_of([&] { return ss::load_file(index); });
  };
  const auto error_with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    return error_of_index(text.replace(text.find(from), from.size(), to));
  };
  const std::string at = index.string() + ": at ";
  const std::string mixed = ". Index and files come from different saves or downloads.";
  CHECK(error_of_index(good) == "no error");
  CHECK(error_with("steps", "other") ==
        "missing_tensor: " + at +
            "steps: a file holds a tensor that the index does not name: found it "
            "in \"sharded-00002-of-00002.bin\"" +
            mixed);
  CHECK(error_with("\"steps\"", "\"more\": \"sharded-00002-of-00002.bin\", \"steps\"") ==
        "missing_tensor: " + at +
            "more: a file lacks a tensor that the index places there: expected it "
            "in \"sharded-00002-of-00002.bin\", found it in no file" +
            mixed);
  CHECK(error_with("\"steps\": \"sharded-00002", "\"steps\": \"sharded-00001") ==
        "missing_tensor: " + at +
            "steps: a file lacks a tensor that the index places there: expected "
            "it in \"sharded-00001-of-00002.bin\", found it in "
            "\"sharded-00002-of-00002.bin\"" +
            mixed);
  CHECK(error_with("\"steps\"", "\"layers.0.bias\"") ==
        "duplicate_name: " + at + "layers.0.bias: the index names a tensor twice.");
  CHECK(error_with("\"sharded-00001-of-00002.bin\"", "\"../x\"") ==
        "invalid_header: " + at +
            "layers.0.bias: the index has an invalid file name: expected a file "
            "name without folders, found \"../x\".");
  CHECK(error_of_index("{\"weight_map\": {}}") ==
        "invalid_header: " + index.string() +
            ": the index names no file: expected at least one entry in \"weight_map\".");

  const auto first = folder / "sharded-00001-of-00002.bin";
  std::filesystem::copy_file(golden / "checkpoint.pt", first,
                             std::filesystem::copy_options::overwrite_existing);
  CHECK(error_of_index(good) == "type_mismatch: " + first.string() +
                                    ": a file of the checkpoint is not a state dict: expected "
                                    "a dict of tensors by name, found dict of 3.");
  std::filesystem::remove(first);
  CHECK(error_of_index(good).starts_with("cannot_open: " + first.string()));
}

TEST_CASE(
    "state dicts inside a checkpoint are taken apart for structs, and stay as they are else") {
  const auto path = golden / "checkpoint.pt";
  const Checkpoint whole{.model = expected, .epoch = 3, .history = {expected}};
  CHECK(ss::load_file<Checkpoint>(path) == whole);
  const ss::Document document = ss::open(path);
  CHECK(document.has_schema());
  CHECK(document.content().description == "PyTorch");
  CHECK(document.as<Checkpoint>() == whole);
  CHECK(document.at("/model").as<Model>() == expected);
  CHECK(document.at("/model").as<std::optional<Model>>() == expected);
  CHECK(document.at("/history").as<std::vector<Model>>().at(0) == expected);
  CHECK(document.at("/history").as<std::tuple<Model>>() == std::tuple(expected));
  CHECK(document.at("/epoch").as<int>() == 3);
  const auto flat = document.at("/model").as<std::map<std::string, ss::Tensor>>();
  CHECK(flat.at("layers.1.bias").to_vector<float>() == std::vector<float>{7, 8});
  CHECK(document.root().at("/model").find("layers.0.weight") != nullptr);
}

TEST_CASE("everything that PyTorch and Python save loads as what it was") {
  // As Python's notation of the script was read by hand.
  const ss::Value whole = ss::load_file(golden / "everything.json");
  for (const char* name : {"everything.pt", "protocol_4.pt"})
    for (const ss::Access access : accesses) {
      CAPTURE(name);
      CAPTURE(static_cast<int>(access));
      const ss::Value found = ss::load_file(golden / name, {.access = access});
      REQUIRE(found.size() == whole.size());
      for (const ss::Entry& entry : whole.entries()) {
        CAPTURE(entry.key);
        const ss::Value* const value = found.find_key(entry.key);
        REQUIRE(value != nullptr);
        CHECK(*value == entry.value);
      }
    }
}

TEST_CASE("instances of classes are structs of their attributes, and load as such") {
  struct Config {
    int width = 0;
    std::vector<std::string> names;
  };
  const ss::Document document = ss::open(golden / "everything.pt");
  const auto config = document.at("/config").as<Config>();
  CHECK(config.width == 3);
  CHECK(config.names == std::vector<std::string>{"a"});

  const ss::Value module = ss::load_file(golden / "module.pt");
  CHECK(module.kind() == ss::Kind::structure);
  CHECK(module.type_name() == "Linear");
  CHECK(module.at("/_parameters/weight").tensor().shape() == ss::Shape{1, 1});
  CHECK(module.at("/training").as_bool() == false);
  const ss::Value script = ss::load_file(golden / "script.pt");
  CHECK(script.type_name() == "Linear");
  CHECK(script.at("/bias").tensor().shape() == ss::Shape{1});
}

TEST_CASE("tensors are views of the mapped file, and otherwise read when they are used") {
  const std::string file = text_of_file(golden / "everything.pt");
  const auto source = std::make_shared<const ss::test::MemorySource>("a.pt", bytes_of(file));
  const ss::Value value = ss::formats::pytorch()->read(source, {.access = ss::Access::read}).root;
  const std::uint64_t before = source->bytes_read();
  for (const char* name : {"part", "transposed", "complex"}) {
    CAPTURE(name);
    CHECK_FALSE(value.at("/views").find(name)->tensor().is_loaded());
  }
  CHECK(value.at("/views/transposed").tensor().to_vector<float>() ==
        std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(source->bytes_read() == before + 24);
  // A part of it, and all of it in pieces.
  const std::array<ss::Slice, 1> second = {ss::Slice{.start = 1, .stop = 2}};
  CHECK(value.at("/views/transposed").tensor().slice(second).to_vector<float>() ==
        std::vector<float>{1, 4});
  source->fail_from(0);
  CHECK(error_of([&] { return value.at("/views/permuted").tensor().to_vector<float>(); }) ==
        "cannot_read: a.pt: at /views/permuted: the server is gone.");

  const ss::Value mapped = ss::load_file(golden / "everything.pt");
  const std::byte* const whole = mapped.at("/views/whole").tensor().origin();
  CHECK(mapped.at("/views/part").tensor().origin() == whole + 8);
  CHECK(mapped.at("/views/transposed").tensor().origin() == whole);
  CHECK_FALSE(mapped.at("/views/transposed").tensor().is_contiguous());
}

TEST_CASE("files are recognised by their content, whatever their names") {
  const Folder folder;
  for (const char* name : {"state.pt", "old.pt"}) {
    std::filesystem::copy_file(golden / name, folder / "pytorch_model.bin",
                               std::filesystem::copy_options::overwrite_existing);
    CHECK(ss::load_file<Model>(folder / "pytorch_model.bin") == expected);
  }
  // Its first part is not the pickle: the name decides.
  CHECK_FALSE(
      ss::formats::pytorch()->recognises(ss::test::view_of(text_of_file(golden / "script.pt")), 0));
}

TEST_CASE("a file becomes one of another format, and none of another becomes one of PyTorch") {
  const Folder folder;
  ss::convert_file(ss::open(golden / "state.pt"), folder / "state.safetensors");
  CHECK(ss::load_file<Model>(folder / "state.safetensors") == expected);
  ss::convert_file(ss::open(golden / "everything.pt"), folder / "everything.safetensors",
                   {.precision = ss::Precision::preserve});
  const ss::Value again = ss::load_file(folder / "everything.safetensors");
  CHECK(again.at("/tensors") == ss::load_file(golden / "everything.json").at("/tensors"));
  CHECK(error_of([&] { return ss::save_file(expected, folder / "new.pt"); }) ==
        "invalid_argument: " + (folder / "new.pt").string() +
            ": files of PyTorch are only read. Save as .safetensors, which PyTorch loads with "
            "safetensors.torch.");
  CHECK_FALSE(std::filesystem::exists(folder / "new.pt"));
}

TEST_CASE("the archive's checksums are compared when that is asked for, and before a conversion") {
  const Folder folder;
  std::string file = text_of_file(golden / "state.pt");
  const std::string weight = ss::test::little(0x40A00000, 4);  // 5.0
  file[file.find(weight) + 3] ^= 1;
  std::ofstream(folder / "a.pt", std::ios::binary) << file;
  const auto path = folder / "a.pt";
  CHECK(ss::load_file<Model>(path) != expected);
  const std::string damaged =
      "checksum_mismatch: " + path.string() +
      ": at state/data/0: the bytes of a file in the archive are not those that were saved. Copy "
      "or download the file again.";
  CHECK(error_of([&] { return ss::load_file<Model>(path, {.verify_checksums = true}); }) ==
        damaged);
  CHECK(error_of([&] { return ss::verify_file(path); }) == damaged);
  CHECK(error_of([&] { return ss::convert_file(ss::open(path), folder / "b.json"); }) == damaged);
  CHECK(ss::verify_file(golden / "state.pt").has_checksums);
  CHECK(ss::load_file<Model>(golden / "state.pt", {.verify_checksums = true}) == expected);
  CHECK_FALSE(ss::verify_file(golden / "old.pt").has_checksums);
  CHECK(error_of([&] {
          return ss::load_file<Model>(golden / "old.pt", {.verify_checksums = true});
        }) == "checksum_mismatch: " + (golden / "old.pt").string() +
                  ": the file has no checksums. Save it as safestructures with "
                  "SaveOptions::checksums, or load it without LoadOptions::verify_checksums.");
}

TEST_CASE("a file in memory and one from a stream load as well") {
  const std::string file = text_of_file(golden / "state.pt");
  CHECK(ss::load<Model>(bytes_of(file)) == expected);
  std::istringstream stream(file);
  CHECK(ss::load<Model>(stream) == expected);
}

TEST_CASE("nothing that a pickle names is called") {
  // What would delete a file in Python is a value of that name.
  const ss::Value found = ss::test::unpickled(
      pickled::call(pickled::global("os", "system"), pickled::text("rm important")));
  CHECK(found.kind() == ss::Kind::custom);
  CHECK(found.type_name() == "os.system");
  CHECK(found.payload()[0].as_string() == "rm important");
}
