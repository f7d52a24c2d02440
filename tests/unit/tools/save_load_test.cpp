/// \file
/// What is saved comes back: to a file, to memory, to a stream, in shards; typed and as a Value.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using ss::Value;
using ss::test::error_of;
using ss::test::Folder;

namespace {

struct Layer {
  std::string name;
  std::vector<float> weight;
  std::optional<double> dropout;
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::int64_t, std::string> labels;
};

Model model() { return {{{"in", {1, 2, 3}, {}}, {"out", {4, 5}, 0.5}}, {{-1, "a"}, {7, "b"}}}; }

void check_model(const Model& found) {
  REQUIRE(found.layers.size() == 2);
  CHECK(found.layers[0].name == "in");
  CHECK(found.layers[0].weight == std::vector<float>{1, 2, 3});
  CHECK_FALSE(found.layers[0].dropout);
  CHECK(found.layers[1].dropout == 0.5);
  CHECK(found.labels == model().labels);
}

/// Gives 1000 bytes at a time, and at the end throws what it was given.
class Drip : public std::streambuf {
 public:
  Drip(std::string bytes, std::string failure)
      : bytes_(std::move(bytes)), failure_(std::move(failure)) {}

 private:
  std::streamsize xsgetn(char* to, std::streamsize size) override {
    const std::size_t left = bytes_.size() - used_;
    if (left == 0 && !failure_.empty()) throw std::runtime_error(failure_);
    const std::size_t count =
        bytes_.copy(to, std::min<std::size_t>(1000, static_cast<std::size_t>(size)), used_);
    used_ += count;
    return static_cast<std::streamsize>(count);
  }

  std::string bytes_;
  std::string failure_;
  std::size_t used_ = 0;
};

std::vector<std::string> names_of(const ss::safetensors::File& file) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < file.size(); ++i) names.emplace_back(file.name(i));
  return names;
}

}  // namespace

TEST_CASE("a structure comes back from a file, from memory and from a stream") {
  const Folder folder;
  const std::filesystem::path path = folder / "model.safetensors";
  const ss::SaveReport report = ss::save_file(model(), path, {.metadata = {{"run", "42"}}});
  CHECK(report.bytes == std::filesystem::file_size(path));
  CHECK(report.conversions.empty());
  check_model(ss::load_file<Model>(path));
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory})
    check_model(ss::load_file<Model>(path, {.access = access}));
  check_model(ss::load_file(path).as<Model>());
  const std::vector<std::byte> bytes = ss::save(model());
  check_model(ss::load<Model>(bytes));
  check_model(ss::load(bytes).as<Model>());
  check_model(ss::load(std::vector<std::byte>(bytes)).as<Model>());
  std::ostringstream out;
  ss::save(model(), out);
  const std::string text = out.str();
  CHECK(text == std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::istringstream typed(text);
  check_model(ss::load<Model>(typed));
  std::istringstream untyped(text);
  check_model(ss::load(untyped).as<Model>());
  const ss::Document document = ss::open(path);
  CHECK(names_of(document.container<ss::safetensors::File>()) ==
        std::vector<std::string>{"layers.0.weight", "layers.1.weight"});
  CHECK(document.metadata() == ss::Metadata{{"run", "42"}});
}

TEST_CASE("a stream is read from its position to its end, and may give little at a time") {
  const std::vector<float> row(200'000, 0.5F);
  std::ostringstream out("before", std::ios::ate);
  ss::save(row, out);
  std::istringstream in(out.str());
  in.ignore(6);
  CHECK(ss::load<std::vector<float>>(in) == row);
  CHECK(in.good());
  CHECK(in.peek() == std::char_traits<char>::eof());

  Drip drip(out.str().substr(6), {});
  std::istream slow(&drip);
  // Reaching the end is no failure.
  slow.exceptions(std::ios::failbit | std::ios::badbit | std::ios::eofbit);
  const auto value = ss::load<Value>(slow);
  CHECK(value.tensor().to_vector<float>() == row);
  CHECK(value.tensor().is_owned());
}

TEST_CASE("a gzipped stream is unpacked, and a source from a stream has the name it was given") {
  const Folder folder;
  ss::save_file(model(), folder / "m.safetensors.gz");
  std::ifstream packed(folder / "m.safetensors.gz", std::ios::binary);
  check_model(ss::load<Model>(packed));
  std::istringstream in("no structure");
  const std::shared_ptr<const ss::Source> source = ss::Source::read_all(in, "upload");
  CHECK(source->size() == 12);
  CHECK(source->is_in_memory());
  CHECK(error_of([&] { return ss::Document::open(source); }).find(": upload: ") !=
        std::string::npos);
}

TEST_CASE("a stream that fails is refused with what is known of it") {
  const Folder folder;
  const std::string advice = ". Check that the stream is open and can be read.";
  std::ifstream closed(folder / "none");
  CHECK(error_of([&] { return ss::load(closed); }) ==
        "cannot_read: the input stream failed (byte 0)" + advice);
  CHECK(error_of([&] { return ss::load<Model>(closed); }) ==
        "cannot_read: the input stream failed (byte 0)" + advice);
  Drip drip(std::string(300'000, 'x'), "the line went dead");
  std::istream broken(&drip);
  CHECK(error_of([&] { return ss::Source::read_all(broken, "modem"); }) ==
        "cannot_read: modem: the input stream failed: found the line went dead (byte 300000)" +
            advice);
  std::ifstream directory(folder / ".");
  CHECK(error_of([&] { return ss::load(directory); }).find("Is a directory") != std::string::npos);
}

TEST_CASE("bytes that nobody else has stay as long as the views of them") {
  const std::vector<float> row = {1, 2, 3};
  CHECK(ss::load<ss::Tensor>(ss::save(row)).to_vector<float>() == row);
  std::vector<std::byte> bytes = ss::save(row);
  const std::byte* const first = bytes.data();
  const std::byte* const last = first + bytes.size();
  const auto value = ss::load<Value>(std::move(bytes));
  CHECK(value.tensor().to_vector<float>() == row);
  CHECK(value.tensor().is_owned());
  // The very same bytes, not a copy.
  const std::byte* const origin = value.tensor().origin();
  CHECK(std::less_equal<>()(first, origin));
  CHECK(std::less<>()(origin, last));
  const std::vector<std::byte> kept = ss::save(row);
  CHECK(ss::load<ss::Tensor>(kept).to_vector<float>() == row);
}

TEST_CASE("equal input gives equal bytes, whatever the order of hash tables") {
  std::unordered_map<std::string, int> up;
  std::unordered_map<std::string, int> down(1000);
  for (int i = 0; i < 100; ++i) {
    up[std::to_string(i)] = i;
    down[std::to_string(99 - i)] = 99 - i;
  }
  CHECK(ss::save(up) == ss::save(down));
  CHECK(ss::save(model(), {.metadata = {{"a", "1"}, {"b", "2"}}}) ==
        ss::save(model(), {.metadata = {{"b", "2"}, {"a", "1"}}}));
}

TEST_CASE("precision is applied on disk and taken back by loading") {
  const std::vector<double> values = {1.0, 0.1};
  const auto stored = [&](ss::Precision precision) {
    const std::vector<std::byte> bytes = ss::save(values, {.precision = precision});
    const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
    const Value loaded = ss::load(bytes);
    CHECK(loaded.tensor().dtype() == ss::DType::F64);
    CHECK(loaded.attribute("dtype") == nullptr);
    return document.root().tensor().dtype();
  };
  CHECK(stored(ss::Precision::f32) == ss::DType::F32);
  CHECK(stored(ss::Precision::preserve) == ss::DType::F64);
  CHECK(stored(ss::Precision::bf16) == ss::DType::BF16);
  CHECK(ss::load<std::vector<double>>(ss::save(values, {.precision = ss::Precision::preserve})) ==
        values);
}

TEST_CASE("a number that the stored dtype cannot hold is refused by name, or reported") {
  const std::map<std::string, std::vector<double>> huge = {{"w", {1e300, 1.0}}};
  const Folder folder;
  const std::filesystem::path path = folder / "x.safetensors";
  const std::string error = error_of([&] { return ss::save_file(huge, path); });
  CHECK(error.find("out_of_range: " + path.string() + ": at w: ") == 0);
  CHECK_FALSE(std::filesystem::exists(path));
  const ss::SaveReport report = ss::save_file(huge, path, {.overflow = ss::Overflow::allow});
  REQUIRE(report.conversions.size() == 1);
  CHECK(report.conversions[0].name == "w");
}

TEST_CASE("a structure without tensors has a dummy that nobody sees") {
  const std::vector<std::byte> bytes = ss::save(std::map<std::string, int>{{"a", 1}});
  const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
  CHECK(names_of(document.container<ss::safetensors::File>()) == std::vector<std::string>{"null"});
  CHECK(document.container<ss::safetensors::File>().info(0).dtype == ss::DType::I64);
  CHECK(document.unreferenced().empty());
  CHECK(ss::load<std::map<std::string, int>>(bytes).at("a") == 1);
}

TEST_CASE("tensors outside the structure are stored in their own dtype and found") {
  const std::vector<double> extra = {1, 2};
  const std::vector<std::byte> bytes =
      ss::save(model(), {.extra_tensors = {{"beside", ss::Tensor::of(std::span(extra))}}});
  const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
  CHECK(document.unreferenced() == std::vector<std::string>{"beside"});
  CHECK(document.container<ss::safetensors::File>().tensor("beside").dtype() == ss::DType::F64);
  check_model(document.as<Model>());
  CHECK(error_of([&] {
          return ss::save(model(), {.extra_tensors = {{"layers.0.weight", ss::Tensor()}}});
        }).starts_with("duplicate_name"));
}

TEST_CASE("a plain safetensors file loads by its names") {
  const std::vector<float> weight = {1, 2, 3};
  const ss::Tensor tensor = ss::Tensor::of(std::span(weight));
  const std::vector<ss::safetensors::Item> items = {
      {"layers.1.w", tensor}, {"layers.0.w", tensor}, {"a", tensor}, {"a.b", tensor}};
  const std::vector<std::byte> bytes = ss::safetensors::to_bytes(items);
  const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
  CHECK_FALSE(document.has_schema());
  CHECK(document.schema().empty());
  CHECK(document.unreferenced().empty());
  CHECK(document.at("/layers").value().kind() == ss::Kind::list);
  CHECK(document.at("/layers/1/w").tensor() == tensor);
  CHECK(document.at("/a").tensor() == tensor);
  const auto flat = ss::load<std::map<std::string, ss::Tensor>>(bytes);
  CHECK(flat.size() == 4);
  CHECK(flat.at("a.b") == tensor);
  struct Part {
    std::vector<double> w;
  };
  struct Checkpoint {
    std::vector<Part> layers;
  };
  CHECK(ss::load<Checkpoint>(bytes).layers.at(1).w == std::vector<double>{1, 2, 3});
}

TEST_CASE("a structure is split into shards and opened by its index") {
  const Folder folder;
  std::map<std::string, std::vector<std::int32_t>> parts;
  for (int i = 0; i < 5; ++i) parts["p" + std::to_string(i)] = std::vector<std::int32_t>(100, i);
  ss::save_file(parts, folder / "model.safetensors", {.shard_size = 900});
  const std::filesystem::path index = folder / "model.safetensors.index.json";
  const ss::Document document = ss::open(index);
  CHECK(document.container<ss::safetensors::File>().file_count() == 3);
  CHECK(ss::load_file<decltype(parts)>(index) == parts);
  CHECK(error_of([&] { return ss::save(parts, {.shard_size = 900}); }) ==
        "invalid_argument: shards can only be written to files. Use save_file, or leave "
        "SaveOptions::shard_size at 0.");
}

TEST_CASE("a single file does not take the name of an index, which it could not be opened by") {
  const Folder folder;
  const std::vector<std::int32_t> numbers = {1, 2, 3};
  const std::string index = "m.safetensors.index.json";
  for (const std::string& name : {index, index + ".gz"})
    CHECK(error_of([&] { return ss::save_file(numbers, folder / name); }) ==
          "invalid_argument: " + (folder / name).string() +
              ": the name is that of an index of several files: expected a name such as "
              "m.safetensors, found 'm.safetensors.index.json'. Choose another name, or split what "
              "is saved (SaveOptions::shard_size, or convert --shard-size in the tool).");
  CHECK(folder.names().empty());
  ss::save_file(numbers, folder / index, {.shard_size = 100});
  CHECK(ss::load_file<std::vector<std::int32_t>>(folder / index) == numbers);
}

TEST_CASE("metadata cannot take the schema's own keys") {
  CHECK(error_of([] { return ss::save(1, {.metadata = {{"_safestructures_schema_", "x"}}}); }) ==
        "invalid_argument: the metadata has a key that is reserved for the schema: found "
        "'_safestructures_schema_'. Choose another key.");
  const std::string checksums = "_safestructures_checksums_";
  const std::string version = "_safestructures_schema_version_";
  const auto plain = ss::Value::dict({{"w", ss::Tensor::own<float>({1})}});
  const auto refusal = [](const std::string& key) {
    return "invalid_argument: the metadata has a key that is reserved for the schema: found '" +
           key + "'. Choose another key.";
  };
  for (const std::string& key : {checksums, version})
    CHECK(error_of([&] { return ss::save(1, {.metadata = {{key, "x"}}}); }) == refusal(key));
  CHECK(error_of([&] {
          return ss::save(plain, {.metadata = {{checksums, "x"}}, .schema = false});
        }) == refusal(checksums));
  // A plain file may tell which version the schema had that it no longer has.
  const auto bytes = ss::save(plain, {.metadata = {{version, "1.0.0"}}, .schema = false});
  CHECK(ss::load(bytes) == plain);
}

TEST_CASE("a failure of loading names the file and the place") {
  const Folder folder;
  const std::filesystem::path path = folder / "m.safetensors";
  ss::save_file(model(), path);
  struct Narrow {
    std::map<std::int64_t, bool> labels;
  };
  const std::string error = error_of([&] { return ss::load_file<Narrow>(path); });
  CHECK(error.find("type_mismatch: " + path.string() + ": at /labels/-1: ") == 0);
  CHECK(error_of([&] { return ss::open(path).at("/layers/5"); }) ==
        "not_found: " + path.string() + ": at /layers: there is no '5': found list of 2.");
  CHECK(error_of([&] { return ss::load_file(folder / "none"); }).starts_with("cannot_open"));
}

TEST_CASE("a tensor that is shared stays shared through load and save") {
  std::vector<double> data = {1, 2, 3};
  Value shared(ss::Tensor::of(std::span<const double>(data)));
  shared.set_tensor_name("w");
  const std::vector<std::byte> bytes = ss::save(Value::list({shared, shared}));
  const Value loaded = ss::load(bytes);
  CHECK(loaded[0].tensor().origin() == loaded[1].tensor().origin());
  CHECK(loaded[0].tensor().to_vector<double>() == data);
  CHECK(ss::save(loaded) == bytes);
}

TEST_CASE("without extensions and with numbered tensors the schema is Python's text") {
  // Printed by Python's package for dataclasses of the same fields.
  const std::string python = R"({"data_type": "SafestructuresDataclass", "value": {"layers":)"
                             R"( {"data_type": "list", "value": [{"data_type": "Safestructur)"
                             R"(esDataclass", "value": {"name": {"data_type": "str", "value")"
                             R"(: "in"}, "weight": {"data_type": "numpy.ndarray", "value": ")"
                             R"(0"}, "dropout": {"data_type": "NoneType", "value": null}}}, )"
                             R"({"data_type": "SafestructuresDataclass", "value": {"name": {)"
                             R"("data_type": "str", "value": "out"}, "weight": {"data_type":)"
                             R"( "numpy.ndarray", "value": "1"}, "dropout": {"data_type": "f)"
                             R"(loat", "value": "0.5"}}}]}, "labels": {"data_type": "dict", )"
                             R"("value": {"-1": {"data_type": "str", "value": "a"}, "7": {"d)"
                             R"(ata_type": "str", "value": "b"}}, "keys": {"-1": {"data_type)"
                             R"(": "int", "value": "-1"}, "7": {"data_type": "int", "value":)"
                             R"( "7"}}}}})";
  const auto bytes =
      ss::save(model(), {.tensor_names = ss::TensorNames::numbers, .extensions = false});
  const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
  CHECK(document.schema() == python);
  check_model(ss::load<Model>(bytes));
}
