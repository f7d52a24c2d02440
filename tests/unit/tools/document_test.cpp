/// \file
/// A Document's tensors outlive it.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/data/type_info.hpp>
#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::test::error_of;
using ss::test::Folder;

namespace {

struct Part {
  std::vector<float> w;
  std::string name;
};
using Parts = std::vector<Part>;

Parts parts() { return {{{1, 2}, "a"}, {{3, 4, 5}, "b"}}; }

template <class T>
concept RootOfTemporary = requires(T&& value) { std::move(value).root(); };
template <class T>
concept SchemaOfTemporary = requires(T&& value) { std::move(value).schema(); };
template <class T>
concept FileOfTemporary =
    requires(T&& value) { std::move(value).template container<ss::safetensors::File>(); };
template <class T>
concept FindOfTemporary = requires(T&& value) { std::move(value).find("x"); };
template <class T>
concept DataOfTemporary = requires(T&& value) { std::move(value).template data<float>(); };

}  // namespace

TEST_CASE("tensors stay valid when the document is gone and the file is deleted or replaced") {
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
    const Folder folder;
    const std::filesystem::path path = folder / "m.safetensors";
    ss::save_file(parts(), path);
    std::optional<ss::Document> document = ss::open(path, {.access = access});
    const ss::Tensor tensor = document->at("/1/w").tensor();
    const Value part = ss::open(path, {.access = access}).at("/0").value();
    const auto typed = document->as<std::vector<std::map<std::string, Value>>>();
    ss::save_file(Parts{}, path);
    std::filesystem::remove(path);
    document.reset();
    CHECK(tensor.to_vector<float>() == std::vector<float>{3, 4, 5});
    CHECK(part["w"].tensor().to_vector<float>() == std::vector<float>{1, 2});
    CHECK(typed[1].at("w").tensor().to_vector<float>() == std::vector<float>{3, 4, 5});
  }
}

TEST_CASE("bytes in memory are kept alive by their owner") {
  ss::Tensor tensor;
  ss::Tensor taken_over;
  Value loaded;
  {
    const auto owner = std::make_shared<const std::vector<std::byte>>(ss::save(parts()));
    tensor = ss::Document::from_bytes(*owner, owner).at("/0/w").tensor();
    taken_over = ss::Document::open(ss::Source::of(ss::save(parts()))).at("/1/w").tensor();
    loaded = ss::load(ss::save(parts()));
  }
  CHECK(tensor.to_vector<float>() == std::vector<float>{1, 2});
  CHECK(taken_over.to_vector<float>() == std::vector<float>{3, 4, 5});
  CHECK(loaded[1]["w"].tensor().to_vector<float>() == std::vector<float>{3, 4, 5});
}

TEST_CASE("parts are decoded on their own") {
  const std::vector<std::byte> bytes = ss::save(parts());
  const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
  CHECK(document.at("/1").as<Part>().name == "b");
  CHECK(document.at("1/w").as<std::vector<double>>() == std::vector<double>{3, 4, 5});
  CHECK(document.has_schema());
  CHECK(document.schema().starts_with("{\"data_type\": \"list\""));
  const ss::Document copy = document;
  CHECK(&copy.root() == &document.root());
}

TEST_CASE("nothing refers to a temporary") {
  static_assert(!RootOfTemporary<ss::Document>);
  static_assert(!SchemaOfTemporary<ss::Document>);
  static_assert(!FileOfTemporary<ss::Document>);
  static_assert(!FindOfTemporary<Value>);
  static_assert(!DataOfTemporary<ss::Tensor>);
  static_assert(std::is_same_v<decltype(std::declval<ss::Document>().at("").value()), Value>);
  static_assert(std::is_same_v<decltype(std::declval<Value>()["a"]), Value>);
  static_assert(std::is_same_v<decltype(std::declval<Value>().tensor()), ss::Tensor>);

  const Folder folder;
  const std::filesystem::path path = folder / "m.safetensors";
  ss::save_file(parts(), path);
  const auto made = [] {
    Value value = Value::structure("a.class.of.a.name.that.takes.memory");
    value.set_attribute("version", 1);
    return value;
  };
  const std::string& name = ss::open(path).name();
  CHECK(name == path.string());
  const std::string& type_name = made().type_name();
  CHECK(type_name == "a.class.of.a.name.that.takes.memory");
  const std::vector<ss::Entry>& attributes = made().attributes();
  CHECK(attributes.at(0).key == Value("version"));
  const std::string& tensor_name = ss::load_file(path)[0]["w"].tensor_name();
  CHECK(tensor_name == "0.w");
  const std::vector<std::string>& steps = ss::Path::parse("/a/b").steps();
  CHECK(steps == std::vector<std::string>{"a", "b"});
}

TEST_CASE("many threads read one document") {
  const std::vector<std::byte> bytes = ss::save(parts());
  const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < right.size(); ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 50; ++n)
        right[i] +=
            document.as<Parts>()[1].w[2] == 5 && document.at("/0/name").value() == Value("a");
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::vector<int>{50, 50, 50, 50});
}

TEST_CASE("a schema of another version is refused, one without a version is read") {
  const auto with_version = [](const char* version) {
    ss::Metadata metadata = {{"_safestructures_schema_", R"({"data_type": "int", "value": "1"})"}};
    if (version != nullptr) metadata["_safestructures_schema_version_"] = version;
    const ss::Tensor tensor;
    const std::vector<ss::safetensors::Item> items = {{"null", tensor}};
    return ss::safetensors::to_bytes(items, metadata);
  };
  CHECK(ss::load<int>(with_version(nullptr)) == 1);
  CHECK(ss::load<int>(with_version("1.0.0")) == 1);
  CHECK(error_of([&] { return ss::load<int>(with_version("2.0.0")); }) ==
        "unsupported_version: the schema has an unknown version: expected 1.0.0, "
        "found '2.0.0'. Read it with a newer safestructures, or save it again with an older one.");
}

TEST_CASE("tensors of a record of Burn have the names of their places, whether its type is known") {
  using Model = std::map<std::string, std::map<std::string, ss::Tensor>>;
  const auto tensor = [](std::vector<float> numbers) {
    return ss::Tensor::own(std::move(numbers));
  };
  const Folder folder;
  ss::save_file(
      Model{{"a", {{"b.c", tensor({1})}, {"d", tensor({2, 3})}}}, {"a.b", {{"c", tensor({4})}}}},
      folder / "m.mpk");
  for (const bool is_known : {false, true}) {
    CAPTURE(is_known);
    const ss::Document document =
        ss::open(folder / "m.mpk", {.type = is_known ? &ss::type_info<Model> : nullptr});
    std::map<std::string, std::vector<float>> found;
    const Value tensors = document.state_dict();
    for (const ss::Entry& entry : tensors.entries())
      found[entry.key.as_string()] = entry.value.tensor().to_vector<float>();
    CHECK(found == std::map<std::string, std::vector<float>>{
                       {"a.b.c", {1}}, {"a.b.c#2", {4}}, {"a.d", {2, 3}}});
  }
}
