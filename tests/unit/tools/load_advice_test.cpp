// Errors of loading that name what to load instead.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::Tensor;
using ss::test::error_of;
using ss::test::Folder;

namespace load_advice {

struct Part {
  std::vector<float> weight;
};

struct Model {
  std::vector<Part> layers;
  Part norm;
};

}  // namespace load_advice

namespace {

using load_advice::Model;
using Tensors = std::map<std::string, Tensor>;

const Model model = {{{{1, 2}}, {{3, 4}}}, {{5, 6}}};
constexpr const char* first = "model-00001-of-00002.safetensors";

}  // namespace

TEST_CASE("a shard that lacks what its struct has is told of by the index that names all") {
  const Folder folder;
  for (const bool has_schema : {true, false}) {
    ss::save_file(model, folder / "model.safetensors", {.schema = has_schema, .shard_size = 16});
    const auto path = folder / first;
    const auto error = [&] { return error_of([&] { return ss::load_file<Model>(path); }); };
    const std::string problem =
        "missing_field: " + path.string() +
        ": at /: struct Model lacks a field: expected 'norm', found 'layers'. ";
    CHECK(error() == problem +
                         "This is one file of a checkpoint in several: load it by its index, "
                         "model.safetensors.index.json.");
    // Whatever is wrong.
    CHECK(error_of([&] { return ss::load_file<std::map<std::string, int>>(path); }) ==
          "type_mismatch: " + path.string() +
              ": at /layers: a value has the wrong type: expected int, found list of 2. This is "
              "one file of a checkpoint in several: load it by its index, "
              "model.safetensors.index.json.");
    fs::remove(folder / "model.safetensors.index.json");
    CHECK(error() == problem +
                         "If it may be missing, make it a std::optional or give it a rule "
                         "optional() in Rules<Model>.");
  }
}

TEST_CASE("a file that is no shard has the advice of its own, whatever index is beside it") {
  const Folder folder;
  ss::save_file(model, folder / "model.safetensors", {.shard_size = 16});
  for (const std::string name :
       {"other.safetensors", "model-of-x.safetensors", "model-00001-of-00002x.safetensors",
        "x-00001-of-00002.safetensors", "-of-.safetensors"}) {
    ss::save_file(Tensors{{"a", Tensor::own<float>({1})}}, folder / name, {.schema = false});
    CHECK(error_of([&] { return ss::load_file<Model>(folder / name); })
              .ends_with(
                  "If it may be missing, make it a std::optional or give it a rule optional() in "
                  "Rules<Model>."));
  }
}

TEST_CASE("a folder with an index is told of by its name") {
  const Folder folder;
  const auto path = folder / "hf";
  fs::create_directory(path);
  const std::string problem = "cannot_open: " + path.string() +
                              ": cannot open the file: expected a regular file, found a folder. "
                              "Name a file inside it";
  const auto check = [&](const std::string& more) {
    CHECK(error_of([&] { return ss::load_file<Model>(path); }) == problem + more);
    CHECK(error_of([&] { return ss::load_file(path); }) == problem + more);
    CHECK(error_of([&] { return ss::open(path); }) == problem + more);
    CHECK(error_of([&] { return ss::verify_file(path); }) == problem + more);
  };
  ss::save_file(model, path / "other.safetensors");
  check(".");
  ss::save_file(model, path / "model.safetensors", {.shard_size = 16});
  check(", such as model.safetensors.index.json.");
  std::ofstream(path / "adapter.safetensors.index.json") << "{}";
  check(", such as adapter.safetensors.index.json.");
}

TEST_CASE("a map of tensors of a file that has levels is told of the state dict") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  ss::save_file(model, path);
  const std::string problem = "type_mismatch: " + path.string() +
                              ": at /layers: a value has the wrong type: expected a "
                              "tensor, or nested lists of numbers, found list of 2.";
  CHECK(error_of([&] { return ss::load_file<Tensors>(path); }) ==
        problem + " Document::state_dict() gives all tensors by their names.");
  CHECK(ss::open(path).state_dict().as<Tensors>().size() == 3);
  // A flat file of what is no tensor has none to offer.
  ss::save_file(std::map<std::string, int>{{"a", 1}}, path);
  CHECK(error_of([&] { return ss::load_file<Tensors>(path); }) ==
        "type_mismatch: " + path.string() +
            ": at /a: a value has the wrong type: expected a tensor, or nested lists of "
            "numbers, found int 1.");
}
