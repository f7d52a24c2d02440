/// \file
/// Every file of Python's own package loads as what it holds, and its schema comes back to the
/// byte.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors.hpp>
#include <safestructures/tools/document.hpp>
#include "support/errors.hpp"
#include "support/golden.hpp"

namespace ss = safestructures;
using ss::test::Json;

namespace {

/// What is written for files that Python would save in another way, since it loses what we keep:
/// extension fields, tensors' names and classes, keys that collide. Null: the text of the file.
const std::map<std::string, const char*> kept = {
    {"a_dict_with_labels_that_are_not_the_keys",
     R"({"data_type": "dict", "value": {"1#2": {"data_type": "int", "value": "1"}, )"
     R"("1": {"data_type": "int", "value": "2"}}, "keys": {"1#2": {"data_type": "int", "value": )"
     R"("1"}, "1": {"data_type": "str", "value": "1"}}})"},
    {"a_type_that_cannot_be_imported", R"({"data_type": "acme.poses.Pose", "value": )"
                                       R"({"x": [1, 2.5, -0.0, 100000.0, null, "\u00e9"]}})"},
    {"extra_fields_on_containers",
     R"({"data_type": "list", "value": [{"data_type": "tuple", "value": [], "version": 3}, )"
     R"({"data_type": "set", "value": [], "x": {"y": [1, 2.5, null]}}, )"
     R"({"data_type": "dict", "value": {}, "keys": {}, "x": "multimap"}, )"
     R"({"data_type": "SafestructuresDataclass", "value": {}, "cpp_type": "acme::Pose"}], )"
     R"("cpp_type": "std::vector<int>"})"},
    {"a_tensor_that_is_called_null", nullptr},
    {"extra_fields_on_a_tensor", nullptr},
    {"one_tensor_used_twice", nullptr},
    {"tensors_named_by_their_paths", nullptr},
    {"the_dummy_tensor_named_by_a_node", nullptr},
};

}  // namespace

TEST_CASE("every golden structure loads as what it holds or is refused") {
  int loaded = 0;
  int refused = 0;
  for (const std::filesystem::path& path : ss::test::golden_files()) {
    const std::string name = path.stem().string();
    CAPTURE(name);
    const Json golden = ss::test::read_json(std::filesystem::path(path).replace_extension(".json"));
    REQUIRE_FALSE(golden["we_load"].is_null());
    std::optional<ss::Document> document;
    const std::string error =
        ss::test::error_of([&] { return document.emplace(ss::Document::open(path)).has_schema(); });
    if (!golden["we_load"]) {
      CHECK_MESSAGE(!document, name);
      ++refused;
      continue;
    }
    REQUIRE_MESSAGE(document, name << ": " << error);
    if (!golden["value"].is_null())
      CHECK_MESSAGE(ss::test::difference(document->root(), golden["value"]).empty(),
                    name << ": " << ss::test::difference(document->root(), golden["value"]));
    ++loaded;
    ss::Metadata metadata = document->metadata();
    // Where there is no schema, its version is a text like any other; the golden list has none.
    if (!document->has_schema()) metadata.erase(std::string(ss::schema::version_key));
    CHECK(metadata.size() == golden["metadata"].size());
    for (const auto& [key, text] : metadata) CHECK(golden["metadata"][key] == text);
  }
  CHECK(loaded > 100);
  CHECK(refused > 20);
}

TEST_CASE("the schema of every golden structure comes back to the byte") {
  int same = 0;
  for (const std::filesystem::path& path : ss::test::golden_files()) {
    const std::string name = path.stem().string();
    CAPTURE(name);
    const Json golden = ss::test::read_json(std::filesystem::path(path).replace_extension(".json"));
    if (!golden["we_load"] || golden["schema"].is_null()) continue;
    const ss::Document document = ss::Document::open(path);
    const ss::schema::Written written =
        ss::schema::write(document.root(), {.precision = ss::Precision::preserve});
    std::string expected(document.schema());
    if (golden["written_by"] != "python") {
      const auto special = kept.find(name);
      if (special == kept.end()) expected = golden.value("resaved_schema", expected);
      else if (special->second != nullptr) expected = special->second;
    }
    CHECK(written.text == expected);
    ++same;
    // Each tensor that the structure refers to is stored once, under its old name.
    const auto unreferenced = document.unreferenced();
    const bool has_dummy =
        written.tensors.empty() && document.container<ss::safetensors::File>().size() == 1;
    CHECK(written.tensors.size() + unreferenced.size() + (has_dummy ? 1 : 0) ==
          document.container<ss::safetensors::File>().size());
    for (const ss::safetensors::Item& stored : written.tensors) {
      CHECK(document.container<ss::safetensors::File>().tensor(stored.name) == *stored.tensor);
      CHECK(stored.dtype == stored.tensor->dtype());
    }
  }
  CHECK(same > 90);
}

TEST_CASE("every spelling that Python reads is read, and others are refused") {
  const Json cases = ss::test::read_json(ss::test::golden_folder() / "spellings.json");
  CHECK(cases.size() > 150);
  const ss::schema::TensorLookup no_tensors = [](std::string_view) {
    return std::optional<ss::Tensor>();
  };
  for (const Json& spelling : cases) {
    const std::string text = spelling["schema"];
    CAPTURE(text.substr(0, 100));
    REQUIRE_FALSE(spelling["we_load"].is_null());
    ss::Value value;
    const std::string error =
        ss::test::error_of([&] { return value = ss::schema::read(text, no_tensors); });
    CHECK((error == "no error") == spelling["we_load"].get<bool>());
    if (error != "no error" || !spelling["we_load"].get<bool>()) continue;
    CHECK(ss::test::difference(value, spelling["value"]) == "");
    if (spelling.contains("resaved_schema"))
      CHECK(ss::schema::write(value).text == spelling["resaved_schema"].get<std::string>());
  }
}
