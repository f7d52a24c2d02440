// The contract of formats/format.hpp: how a format is chosen, and that one's own is like ours.

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/memory_source.hpp"

namespace ss = safestructures;
using ss::test::error_of;
using ss::test::Folder;
using ss::test::MemorySource;

namespace {

/// A format of a user: one str, behind a mark.
class WordFormat final : public ss::Format {
 public:
  std::string_view name() const noexcept override { return "word"; }
  std::span<const std::string_view> extensions() const noexcept override { return endings; }
  bool recognises(std::span<const std::byte> head, std::uint64_t size) const override {
    return size >= 5 && std::memcmp(head.data(), "WORD:", 5) == 0;
  }
  ss::Content read(const std::shared_ptr<const ss::Source>& source,
                   const ss::LoadOptions&) const override {
    const ss::SharedBytes all = source->view(0, static_cast<std::size_t>(source->size()));
    const std::string_view text(reinterpret_cast<const char*>(all.bytes.data()), all.bytes.size());
    ss::Content content;
    content.root = ss::Value(text.substr(5));
    content.description = "a word";
    return content;
  }
  ss::SaveReport write(const ss::Value& root, ss::Sink& sink,
                       const ss::SaveOptions&) const override {
    const std::string text = "WORD:" + root.as_string();
    sink.write_copied(std::as_bytes(std::span(text)));
    sink.flush();
    return {.bytes = text.size(), .conversions = {}};
  }

 private:
  static constexpr std::array<std::string_view, 1> endings = {".word"};
};

/// A sink of a user: `write` and `position` are all that it needs.
class TextSink final : public ss::Sink {
 public:
  void write(std::span<const std::byte> bytes) override {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  std::uint64_t position() const noexcept override { return text.size(); }

  std::string text;
};

struct Model {
  std::vector<float> weight;
  std::vector<double> bias;
  bool operator==(const Model&) const = default;
};

Model model(std::size_t count) {
  return {std::vector<float>(count, 1.5F), std::vector<double>(count, 0.25)};
}

const std::vector<std::byte>& large_file() {
  static const std::vector<std::byte> bytes = ss::save(model(100'000));
  return bytes;
}

}  // namespace

TEST_CASE("the name of a file chooses the format it is saved in, the longest extension first") {
  CHECK(ss::formats::for_name("m.safetensors")->name() == "safestructures");
  CHECK(ss::formats::for_name("M.SafeTensors")->name() == "safestructures");
  CHECK(ss::formats::for_name("m.safetensors.index.json")->name() == "safestructures");
  CHECK(ss::formats::for_name("m")->name() == "safestructures");
  CHECK(ss::formats::all().front() == ss::formats::safestructures());
}

TEST_CASE("a container begins with the length of a header that there is room for, and {") {
  const auto recognises = [](std::uint64_t length, std::uint64_t size, char first) {
    std::array<std::byte, 9> head;
    for (std::size_t i = 0; i < 8; ++i) head[i] = static_cast<std::byte>(length >> (8 * i) & 0xFFU);
    head[8] = static_cast<std::byte>(first);
    return ss::formats::for_name("a.safetensors")->recognises(head, size);
  };
  CHECK(recognises(2, 10, '{'));
  CHECK_FALSE(recognises(3, 10, '{'));
  CHECK_FALSE(recognises(2, 10, '['));
  CHECK(recognises(100'000'000, 200'000'000, '{'));
  CHECK_FALSE(recognises(100'000'001, 200'000'000, '{'));
}

TEST_CASE("a container whose length begins as JSON does is none, blanks before its header or not") {
  const auto name_of = [](char length, std::string header) {
    header.resize(static_cast<std::size_t>(length), ' ');
    const std::string file = length + std::string(7, '\0') + header;
    return ss::formats::for_content(*ss::Source::of(std::as_bytes(std::span(file)), nullptr))
        ->name();
  };
  for (const char length : {'[', '{'}) {
    CAPTURE(length);
    CHECK(name_of(length, "{}") == "safestructures");
    CHECK(name_of(length, " \t\r\n{}") == "safestructures");
    CHECK(name_of(length, std::string(static_cast<std::size_t>(length) - 2, ' ') + "{}") ==
          "safestructures");
    CHECK(name_of(length, "  []") == "json");
    CHECK(name_of(length, "") == "json");
  }
  // More blanks than are looked at.
  const std::string file = std::string("\x88\x13\0\0\0\0\0\0", 8) + std::string(4998, ' ') + "{}";
  CHECK(
      ss::formats::for_content(*ss::Source::of(std::as_bytes(std::span(file)), nullptr))->name() ==
      "safestructures");
}

TEST_CASE("an index is an object whose own weight_map is one, and no other JSON") {
  const auto name_of = [](std::string_view text) {
    return ss::formats::for_content(*ss::Source::of(std::as_bytes(std::span(text)), nullptr))
        ->name();
  };
  for (const std::string_view index : {
           R"({"weight_map":{}})",
           R"({"metadata": {"total_size": 8}, "weight_map": {"a": "1.safetensors"}})",
           R"({"weight_map": {"a": "1.safetensors"}, "metadata": {}})",
           R"({"a": [{"b": "}\\\"]"}, [1]], "n": -1.5, "t": true, "weight_map" : {)",
           " \n{\n\t\"weight_map\"\r:\n {",
       }) {
    CAPTURE(index);
    CHECK(name_of(index) == "safestructures");
  }
  for (const std::string_view json : {
           R"({"note": "weight_map"})",
           R"({"note": "weight_map", "a": {}})",
           R"({"a": {"weight_map": {}}})",
           R"({"a": {"weight_map": [1]}})",
           R"({"a": [{"weight_map": {}}]})",
           R"({"weight_map": [1]})",
           R"({"weight_map": "a"})",
           R"({"weight_map": 1, "a": {"weight_map": {}}})",
           R"({"a": "\"weight_map\": {"})",
           R"({"$struct": "W", "weight_map": {"a": "b"}})",
           R"({"$safestructures": {}, "weight_map": {}})",
           R"({} {"weight_map": {}})",
           R"([{"weight_map": {}}])",
           R"({"weight_map)",
           R"({"weight_map")",
           R"({"weight_map":)",
           R"({"a": "\)",
           R"({"a": ")",
       }) {
    CAPTURE(json);
    CHECK(name_of(json) == "json");
  }
  CHECK(name_of(std::string(5000, '[')) == "json");
}

TEST_CASE(
    "an index is known by its beginning however long it is, and by its name where that hides") {
  const Folder folder;
  const auto put = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return ss::formats::for_content(*ss::Source::open(folder / name))->name();
  };
  const std::string note = R"("note": ")" + std::string(5000, 'x') + '"';
  CHECK(put("first.json", R"({"weight_map": {)" + note + R"(}, "metadata": {}})") ==
        "safestructures");
  // As it is saved, and with metadata that are longer than the bytes which are looked at.
  const std::string name = "m.safetensors.index.json";
  ss::save_file(model(2), folder / "m.safetensors", {.shard_size = 10});
  std::ostringstream text;
  text << std::ifstream(folder / name, std::ios::binary).rdbuf();
  std::string index = text.str();
  CHECK(put("m.json", index) == "safestructures");
  CHECK(ss::load_file<Model>(folder / "m.json") == model(2));
  const std::string metadata = "\"metadata\": {";
  index.insert(index.find(metadata) + metadata.size(), note + ",");
  CHECK(put(name, index) == "safestructures");
  CHECK(ss::load_file<Model>(folder / name) == model(2));
  CHECK(put("m.json", index) == "json");
}

TEST_CASE("MessagePack and CBOR that begin as other formats do are read by their extension") {
  const Folder folder;
  const auto comes_back = [&](const ss::Value& value) {
    for (const std::string name : {"v.msgpack", "v.msgpack.gz", "v.cbor", "v.json"}) {
      ss::save_file(value, folder / name);
      CAPTURE(name);
      CHECK(ss::load_file(folder / name) == value);
    }
  };
  comes_back(123);  // {
  comes_back(91);   // [
  comes_back(10);   // A line break.
  comes_back(80);
  comes_back(ss::Value::list({0, 0, 0, 0, 0, 0, 0, 123, std::string(200, 'x')}));
  comes_back(
      ss::Value::list({0, 0, 0, 0, 0, 0, 0, 123, 34, 97, 34, 58, 123, std::string(200, '}')}));
  comes_back(std::string("\0\0\0\0\0\0\0{", 8) + std::string(20, 'x') + std::string(2, '\0'));
  // Records of Burn are maps of three whose metadata begin with the dtype of floats.
  comes_back(ss::Value::from(std::map<std::string, int>{{"metadata", 1}, {"x", 2}, {"y", 3}}));
  comes_back(ss::Value::from(std::map<std::string, int>{{"item", 1}, {"x", 2}, {"y", 3}}));
  comes_back(ss::Value::dict(
      {{"metadata", ss::Value::dict({{"float", "f32"}, {"settings", "s"}})}, {"x", 2}, {"y", 3}}));
  // In a long file, metadata after the item would not be seen.
  comes_back(ss::Value::dict({{"item", std::string(5000, 'x')}, {"metadata", 2}, {"y", 3}}));
  comes_back(ss::Value::dict({{"item", std::string(5000, 'x')}, {"x", 2}, {7, 3}}));
  ss::save_file(123, folder / "n.msgpack");
  CHECK(ss::load_file<int>(folder / "n.msgpack") == 123);

  // CBOR of others, without its tag: a list of eight, the last of which is a text.
  const auto put = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder / name;
  };
  const std::string zeros(7, '\0');
  CHECK(ss::load_file(put("t.cbor", "\x7B" + zeros + "\x01x")) == ss::Value("x"));
  CHECK(ss::load_file(
            put("l.cbor", "\x88" + zeros + "\x7B" + zeros + "\xC8" + std::string(200, 'x')))[7] ==
        ss::Value(std::string(200, 'x')));
}

TEST_CASE("what only has the extension of MessagePack or CBOR is known by its content") {
  const Folder folder;
  for (const std::string ending : {".msgpack", ".cbor"}) {
    for (const std::string from : {"m.safetensors", "m.json", "m.bpk"}) {
      CAPTURE(ending);
      CAPTURE(from);
      const std::map<std::string, std::vector<float>> saved = {{"a", {1, 2}}};
      ss::save_file(saved, folder / from);
      std::filesystem::rename(folder / from, folder / ("m" + ending));
      CHECK(ss::load_file<std::map<std::string, std::vector<float>>>(folder / ("m" + ending)) ==
            saved);
    }
    std::ofstream(folder / ("blank" + ending)) << " \n[1]";
    CHECK(ss::load_file<std::vector<int>>(folder / ("blank" + ending)) == std::vector<int>{1});
  }
}

TEST_CASE("a format of one's own is used where the options name it") {
  const Folder folder;
  const auto format = std::make_shared<const WordFormat>();
  const auto path = folder / "w.word";
  CHECK(ss::save_file(std::string("hello"), path, {.format = format}).bytes == 10);
  CHECK(ss::load_file<std::string>(path, {.format = format}) == "hello");
  const ss::Document document = ss::open(path, {.format = format});
  CHECK(document.format().name() == "word");
  CHECK(document.content().description == "a word");
  CHECK(ss::load<std::string>(ss::save(std::string("x"), {.format = format}), {.format = format}) ==
        "x");
  CHECK(error_of([&] { return document.container<ss::safetensors::File>().size(); }) ==
        "type_mismatch: " + path.string() +
            ": the file does not have the requested format: found word. Ask for the "
            "container that its format names, or use root().");
  CHECK(ss::formats::for_content(*ss::Source::open(path))->name() == "safestructures");
}

TEST_CASE("a sink of one's own needs two functions") {
  TextSink sink;
  const ss::Value value = ss::Value::from(model(1000));
  const ss::SaveReport report = ss::formats::safestructures()->write(value, sink, {});
  const std::vector<std::byte> bytes = ss::save(model(1000));
  CHECK(report.bytes == bytes.size());
  CHECK(sink.text == std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  CHECK(error_of([&] {
          return ss::formats::safestructures()->write(value, sink, {.shard_size = 10});
        }) ==
        "invalid_argument: shards can only be written to files. Use save_file, or leave "
        "SaveOptions::shard_size at 0.");
}

TEST_CASE("a source of one's own gives header and schema on opening and bytes when asked") {
  const auto source = std::make_shared<const MemorySource>("far/away", large_file());
  const ss::Document document = ss::Document::open(source, {.access = ss::Access::read});
  CHECK(source->bytes_read() < 10'000);
  CHECK(document.content().tensor_bytes == 800'000);
  const ss::Tensor weight = document.at("/weight").tensor();
  CHECK_FALSE(weight.is_loaded());
  CHECK(weight.slice(ss::parse_slices("5:7")).size() == 2);
  CHECK(source->bytes_read() < 11'000);
  CHECK(document.as<Model>() == model(100'000));
  CHECK_FALSE(weight.is_loaded());  // A struct's members have memory of their own.
}

TEST_CASE("every access gives the same, and reading by position opens without the tensors") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  ss::save_file(model(100'000), path);
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
    const ss::Document document = ss::open(path, {.access = access});
    CHECK(document.as<Model>() == model(100'000));
    CHECK(document.at("/weight").tensor().is_loaded() == (access != ss::Access::read));
    CHECK(ss::load_file(path, {.access = access})["bias"].tensor().dtype() == ss::DType::F64);
  }
}

TEST_CASE("a sparse file of 3 GiB opens by position in no memory") {
  const Folder folder;
  const auto path = folder / "huge.safetensors";
  const std::string header =
      R"({"w":{"dtype":"U8","shape":[3221225472],"data_offsets":[0,3221225472]}})";
  {
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    REQUIRE(file != nullptr);
    const std::uint64_t length = header.size();
    REQUIRE(std::fwrite(&length, 8, 1, file) == 1);
    REQUIRE(std::fwrite(header.data(), header.size(), 1, file) == 1);
    std::fclose(file);
  }
  std::filesystem::resize_file(path, 8 + header.size() + 3'221'225'472U);
  const ss::Document document = ss::open(path, {.access = ss::Access::read});
  const ss::Tensor tensor = document.at("/w").tensor();
  CHECK_FALSE(tensor.is_loaded());
  CHECK(tensor.slice(ss::parse_slices("-2:")).size() == 2);
  CHECK_FALSE(tensor.is_loaded());
}

TEST_CASE("deferred tensors are saved in blocks, converted or not") {
  const auto source = std::make_shared<const MemorySource>("far/away", large_file());
  const ss::Document document = ss::Document::open(source, {.access = ss::Access::read});
  CHECK(ss::save(document.root(), {.precision = ss::Precision::preserve}) == large_file());
  const ss::Value half = ss::load(ss::save(document.root(), {.precision = ss::Precision::f16}));
  CHECK(half.as<Model>() == model(100'000));
  CHECK_FALSE(document.at("/weight").tensor().is_loaded());
}

TEST_CASE("integers are stored in the precision asked for, and come back as they were") {
  const std::map<std::string, std::vector<std::int64_t>> numbers = {{"a", {1, -2, 30'000}}};
  const ss::Precision narrow = {.floats = ss::DType::F16, .integers = ss::DType::I16};
  const auto bytes = ss::save(numbers, {.precision = narrow});
  const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
  CHECK(document.at("/a").tensor().dtype() == ss::DType::I16);
  CHECK(ss::load(bytes)["a"].tensor().dtype() == ss::DType::I64);
  CHECK(ss::load<std::map<std::string, std::vector<std::int64_t>>>(bytes) == numbers);
  const std::map<std::string, std::vector<std::int64_t>> large = {{"a", {1, 40'000}}};
  CHECK(error_of([&] {
          return ss::save(large, {.precision = narrow});
        }).find("out_of_range: at a:") == 0);
  CHECK(ss::Precision::f32.stored(ss::DType::BOOL) == ss::DType::BOOL);
  CHECK(narrow.stored(ss::DType::C64) == ss::DType::C64);
}

TEST_CASE("without a schema a structure of tensors is a plain state dict") {
  const auto bytes = ss::save(model(3), {.precision = ss::Precision::preserve, .schema = false});
  const ss::Document document = ss::Document::from_bytes(bytes, nullptr);
  CHECK_FALSE(document.has_schema());
  CHECK(document.metadata().empty());
  CHECK(document.as<Model>() == model(3));
  const ss::Value mixed = ss::Value::dict({{"a", ss::Value(ss::Tensor())}, {"n", 3}});
  CHECK(
      error_of([&] { return ss::save(mixed, {.schema = false}); }) ==
      "invalid_argument: at /n: without a schema only tensors can be saved: expected a tensor, or "
      "containers of tensors, found int 3. Save with SaveOptions::schema.");
}

TEST_CASE("without a schema an empty container is refused, for which nothing would stand") {
  const auto error = [](const ss::Value& value) {
    return error_of([&] { return ss::save(value, {.schema = false}); });
  };
  const auto refused = [](const std::string& path, const std::string& found) {
    return "invalid_argument: at " + path +
           ": without a schema only tensors can be saved: expected containers that are not empty, "
           "found " +
           found + ". Save with SaveOptions::schema.";
  };
  const ss::Value tensor = ss::Tensor::own<float>({1});
  CHECK(error(ss::Value::from(std::vector<std::vector<std::vector<float>>>{{{1}, {2}}, {}})) ==
        refused("/1", "list of 0"));
  CHECK(error(ss::Value::tuple({tensor, ss::Value::list()})) == refused("/1", "list of 0"));
  CHECK(error(ss::Value::dict({{"a", tensor}, {"b", ss::Value::dict()}})) ==
        refused("/b", "dict of 0"));
  CHECK(error(ss::Value::list()) == refused("/", "list of 0"));
  // A file of nothing is an empty dict, and so is what it was made of.
  CHECK(ss::load(ss::save(ss::Value::dict(), {.schema = false})) == ss::Value::dict());
}
