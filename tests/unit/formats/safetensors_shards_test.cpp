// Checkpoints in several files with an index.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safetensors.hpp>

#include "support/errors.hpp"
#include "support/platform_folder.hpp"

namespace safestructures {
namespace {

using platform_test::Folder;
using safetensors::File;
using safetensors::Item;
using safetensors::WriteOptions;
using test::error_of;

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Five tensors of 40 bytes.
class Checkpoint {
 public:
  Checkpoint() {
    std::iota(values_.begin(), values_.end(), 0.F);
    for (std::size_t i = 0; i < 5; ++i) {
      tensors_.push_back(Tensor::of<float>(std::span<const float>(values_).subspan(10 * i, 10)));
    }
    constexpr std::string_view names[] = {"e", "d", "c", "b", "a"};
    for (std::size_t i = 0; i < 5; ++i) items_.emplace_back(names[i], tensors_[i]);
  }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] const Tensor& tensor(std::size_t i) const { return tensors_[i]; }

 private:
  std::vector<float> values_ = std::vector<float>(50);
  std::vector<Tensor> tensors_;
  std::vector<Item> items_;
};

TEST_CASE("a checkpoint is split at the given size and indexed as Hugging Face does") {
  const Folder folder;
  const Checkpoint checkpoint;
  const auto report = safetensors::write_sharded(folder / "model.safetensors", checkpoint.items(),
                                                 {{"k", "v"}}, 80);
  CHECK(folder.names() == std::vector<std::string>{"model-00001-of-00003.safetensors",
                                                   "model-00002-of-00003.safetensors",
                                                   "model-00003-of-00003.safetensors",
                                                   "model.safetensors.index.json"});
  CHECK(content(folder / "model.safetensors.index.json") ==
        "{\n"
        "  \"metadata\": {\n"
        "    \"_safestructures_save_\": \"b5ca7f1685390780b6da96d5a8f31dfe\",\n"
        "    \"total_size\": 200\n"
        "  },\n"
        "  \"weight_map\": {\n"
        "    \"a\": \"model-00003-of-00003.safetensors\",\n"
        "    \"b\": \"model-00002-of-00003.safetensors\",\n"
        "    \"c\": \"model-00002-of-00003.safetensors\",\n"
        "    \"d\": \"model-00001-of-00003.safetensors\",\n"
        "    \"e\": \"model-00001-of-00003.safetensors\"\n"
        "  }\n"
        "}\n");
  std::uint64_t bytes = 0;
  for (const std::string& name : folder.names()) bytes += std::filesystem::file_size(folder / name);
  CHECK(report.bytes == bytes);
}

TEST_CASE("an index opens as one file, in every way") {
  const Folder folder;
  const Checkpoint checkpoint;
  const auto path = folder / "model.safetensors.index.json";
  safetensors::write_sharded(path, checkpoint.items(), {{"k", "v"}}, 80);
  for (const Access access : {Access::map, Access::read, Access::memory}) {
    const File file = File::open(path, {.access = access});
    REQUIRE(file.size() == 5);
    CHECK(file.file_count() == 3);
    std::vector<std::string> files;
    for (const auto& one : file.files()) files.push_back(one.filename().string());
    CHECK(files == std::vector<std::string>{
                       "model.safetensors.index.json", "model-00001-of-00003.safetensors",
                       "model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors"});
    CHECK(file.data_size() == 200);
    CHECK(file.metadata("k") == std::string_view("v"));
    CHECK(file.metadata().size() == 2);
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(file.tensor(checkpoint.items()[i].name) == checkpoint.tensor(i));
      const std::optional<std::size_t> index = file.find(checkpoint.items()[i].name);
      REQUIRE(index.has_value());
      CHECK(file.info(*index).name == checkpoint.items()[i].name);
      CHECK(file.path(*index).filename() ==
            "model-0000" + std::to_string(i / 2 + 1) + "-of-00003.safetensors");
      CHECK(file.slice(*index, parse_slices("[3:5]")) ==
            checkpoint.tensor(i).slice(parse_slices("[3:5]")));
    }
  }
}

TEST_CASE("a tensor larger than a file may be gets a file of its own") {
  const Folder folder;
  const Checkpoint checkpoint;
  safetensors::write_sharded(folder / "m", checkpoint.items(), {}, 1);
  const File file = File::open(folder / "m.safetensors.index.json");
  CHECK(file.file_count() == 5);
  CHECK(file.tensor("c") == checkpoint.tensor(2));
}

TEST_CASE("a checkpoint that fits one file has an index only if its path names it") {
  const Folder folder;
  const Checkpoint checkpoint;
  const auto index = folder / "m.safetensors.index.json";
  safetensors::write_sharded(index, checkpoint.items(), {}, 200);
  CHECK(File::open(index).file_count() == 1);
  std::filesystem::remove(index);
  // The name of a save would make it a part of one.
  safetensors::write_sharded(folder / "m.safetensors", checkpoint.items(),
                             {{"k", "v"}, {std::string(safetensors::save_key), "x"}}, 200);
  safetensors::write_file(folder / "n.safetensors", checkpoint.items(), {{"k", "v"}});
  CHECK(content(folder / "m.safetensors") == content(folder / "n.safetensors"));
  safetensors::write_sharded(folder / "m.safetensors", checkpoint.items(), {}, 199);
  CHECK(File::open(index).file_count() == 2);
}

TEST_CASE("a checkpoint whose files an index cannot name is not written") {
  const Folder folder;
  const Checkpoint checkpoint;
  struct Case {
    std::string name;
    std::string shown;
  };
  for (const Case& one : {Case{"m\xff.safetensors", "m\\xff"}, Case{"a\\b.safetensors", "a\\b"}}) {
    CHECK(error_of([&] {
            return safetensors::write_sharded(folder / one.name, checkpoint.items(), {}, 80);
          })
              .ends_with(": an index cannot name the files of this checkpoint: expected "
                         "a file name of UTF-8, without a backslash, found '" +
                         one.shown + "'. Choose another name."));
  }
  CHECK(folder.names().empty());
}

TEST_CASE("a checkpoint that could not be read again is not written") {
  const Folder folder;
  const Checkpoint checkpoint;
  const std::string path = (folder / "m").string();
  const auto error = [&](const std::vector<Item>& items, std::uint64_t size,
                         const Limits& limits = {}) {
    return error_of([&] {
      return safetensors::write_sharded(path, items, {}, size, WriteOptions{.limits = limits});
    });
  };
  // In another file than the first: none of the files sees both.
  for (const std::string name : {"a", "b", "c"}) {
    std::vector<Item> twice = checkpoint.items();
    twice.emplace(twice.begin(), name, checkpoint.tensor(1));
    CHECK(error(twice, 80) ==
          "duplicate_name: " + path + ": at " + name +
              ": two tensors have the same name. Give each tensor a name of its own.");
  }
  CHECK(error(checkpoint.items(), 0) ==
        "invalid_argument: " + path + ": a file of at most 0 bytes holds no tensor.");
  CHECK(error(checkpoint.items(), 1, {.shards = 4}) ==
        "limit_exceeded: " + path +
            ": too many files for one checkpoint: expected at most 4 (Limits::shards), found 5. "
            "Let each file be larger.");
  CHECK(error(checkpoint.items(), 1, {.tensors = 4}) ==
        "limit_exceeded: " + path +
            ": there are too many tensors: expected at most 4 (Limits::tensors), found 5.");
  const Tensor three = Tensor::own<float>({1, 2, 3});
  std::vector<Item> odd = checkpoint.items();
  odd.emplace_back("f4", three, DType::F4);
  CHECK(error(odd, 80) ==
        "invalid_shape: " + path +
            ": at f4: the elements do not fill whole bytes: expected a number of elements of 4 "
            "bits that makes a multiple of 8 bits, found F4 [3].");
  // An index would name no file.
  const auto index = folder / "m.safetensors.index.json";
  CHECK(error_of([&] {
          return safetensors::write_sharded(index, std::vector<Item>(), {{"k", "v"}}, 80);
        }) == "invalid_argument: " + index.string() +
                  ": an index cannot name a file without tensors: expected at least one tensor, "
                  "found none. Choose a name that does not end in .index.json.");
  CHECK(folder.names().empty());
}

TEST_CASE("a value of metadata that files contradict is the first file's") {
  const Folder folder;
  const Checkpoint checkpoint;
  const std::vector<Item>& items = checkpoint.items();
  safetensors::write_file(folder / "1", std::span(items).first(1), {{"k", "1"}, {"only", "1"}});
  safetensors::write_file(folder / "2", std::span(items).subspan(1, 1),
                          {{"k", "2"}, {"other", "2"}});
  write_text(folder / "i.json", R"({"weight_map":{"d":"2","e":"1"}})");
  const File file = File::open(folder / "i.json");
  CHECK(file.metadata().size() == 3);
  CHECK(file.metadata("k") == std::string_view("1"));
  CHECK(file.metadata("other") == std::string_view("2"));
}

TEST_CASE("every malformed index is refused with its exact error") {
  const Folder folder;
  const Checkpoint checkpoint;
  const std::vector<Item>& items = checkpoint.items();
  safetensors::write_file(folder / "1", std::span(items).first(2));           // e, d
  safetensors::write_file(folder / "2", std::span(items).subspan(2, 2));      // c, b
  safetensors::write_file(folder / "again", std::span(items).subspan(1, 2));  // d, c
  write_text(folder / "bad", "xxxxxxx");
  const std::string mixed = " Index and files come from different saves or downloads.";
  struct Case {
    std::string text;
    ErrorCode code;
    std::string error;
    std::string file = "i.json";
  };
  const auto map = [](const std::string& entries) { return "{\"weight_map\":{" + entries + "}}"; };
  const std::string all = R"("b":"2","c":"2","d":"1","e":"1")";
  const Case cases[] = {
      {"", ErrorCode::invalid_header,
       "the index is not a JSON object: expected '{' as its first byte, found nothing."},
      {"[]", ErrorCode::invalid_header,
       "the index is not a JSON object: expected '{' as its first byte, found '['."},
      {"\xEF\xBB\xBF{}", ErrorCode::invalid_header,
       "the index is not a JSON object: expected '{' as its first byte, found byte 0xef."},
      {"{}", ErrorCode::invalid_header, "the index has no \"weight_map\"."},
      {"{\"weight_map\":{}", ErrorCode::invalid_header,
       "the index is not valid JSON: found its end (byte 16)."},
      {map(all) + "x", ErrorCode::invalid_header,
       "the index is not valid JSON: found 'x' (byte 48)."},
      {"{\"weight_map\":[]}", ErrorCode::invalid_header,
       "\"weight_map\" is not an object: expected an object of file names by tensor name, found [] "
       "(byte 14)."},
      {"{\"weight_map\":{},\"weight_map\":{}}", ErrorCode::duplicate_name,
       "the index holds \"weight_map\" twice (byte 17)."},
      {map(""), ErrorCode::invalid_header,
       "the index names no file: expected at least one entry in \"weight_map\"."},
      {map("\"e\":1"), ErrorCode::invalid_header,
       "at e: the tensor's place in the index is not a string: expected the name of a file, found "
       "1 "
       "(byte 19)."},
      {map("\"e\":tru"), ErrorCode::invalid_header,
       "the index is not valid JSON: found '}' (byte 22)."},
      {map("\"e\":\"\xFF\""), ErrorCode::invalid_utf8,
       "the index is not valid UTF-8: found byte 0xff (byte 20)."},
      {map("\"e\":\"\\ud800\""), ErrorCode::invalid_utf8,
       "a string holds half of a surrogate pair: expected an escape that stands for a character, "
       "found \\ud800 (byte 20)."},
      {map("\"e\":\"../1\""), ErrorCode::invalid_header,
       "at e: the index has an invalid file name: expected a file name without folders, "
       "found \"../1\"."},
      {map("\"e\":\"/etc/passwd\""), ErrorCode::invalid_header,
       "at e: the index has an invalid file name: expected a file name without folders, "
       "found \"/etc/passwd\"."},
      {map("\"e\":\"..\\u002f1\""), ErrorCode::invalid_header,
       "at e: the index has an invalid file name: expected a file name without folders, "
       "found \"../1\"."},
      {map("\"e\":\"a\\\\b\""), ErrorCode::invalid_header,
       "at e: the index has an invalid file name: expected a file name without folders, "
       "found \"a\\\\b\"."},
      {map("\"e\":\"..\""), ErrorCode::invalid_header,
       "at e: the index has an invalid file name: expected a file name without folders, "
       "found \"..\"."},
      {map("\"e\":\"1\\u0000\""), ErrorCode::invalid_header,
       "at e: the index has an invalid file name: expected a file name without folders, "
       "found \"1\\x00\"."},
      {map("\"e\":\"\""), ErrorCode::invalid_header,
       "at e: the index has an invalid file name: expected a file name without folders, "
       "found \"\"."},
      {map("\"e\":\"bad\""), ErrorCode::truncated,
       "the file is too short for a safetensors file: expected at least 8 bytes, found 7. Check "
       "that "
       "this is a safetensors file.",
       "bad"},
      {map(all + ",\"f\":\"1\""), ErrorCode::missing_tensor,
       "at f: a file lacks a tensor that the index places there: expected it in \"1\", found it in "
       "no "
       "file." +
           mixed},
      {map(R"("b":"1","c":"2","d":"1","e":"1")"), ErrorCode::missing_tensor,
       "at b: a file lacks a tensor that the index places there: expected it in \"1\", found it in "
       "\"2\"." +
           mixed},
      {map(R"("b":"2","d":"1","e":"1")"), ErrorCode::missing_tensor,
       "at c: a file holds a tensor that the index does not name: found it in \"2\"." + mixed},
      {map(all + R"(,"\u0062":"2")"), ErrorCode::duplicate_name,
       "at b: the index names a tensor twice."},
      {map(R"("c":"again","d":"1","e":"1")"), ErrorCode::duplicate_name,
       "at d: two files hold a tensor of the same name: found the other in \"1\".", "again"},
      {R"({"x":)" + std::string(600, '[') + std::string(600, ']') + "}", ErrorCode::limit_exceeded,
       "the index is nested too deeply: expected at most 500 levels (Limits::depth)."},
      {R"({"metadata":{"total_size":01}})", ErrorCode::invalid_header,
       "the index is not valid JSON: found '1' (byte 27)."},
  };
  for (const Case& test : cases) {
    CAPTURE(test.text);
    write_text(folder / "i.json", test.text);
    try {
      static_cast<void>(File::open(folder / "i.json"));
      FAIL("it was opened");
    } catch (const Error& error) {
      CHECK(to_string(error.code()) == to_string(test.code));
      CHECK(std::string(error.what()) == (folder / test.file).string() + ": " + test.error);
    }
  }
  write_text(folder / "i.json", map(all) + " \r\n\n");
  CHECK(File::open(folder / "i.json").size() == 4);
}

TEST_CASE("an absent file of a checkpoint is named") {
  const Folder folder;
  write_text(folder / "i.json", R"({"weight_map":{"a":"absent.safetensors"}})");
  try {
    static_cast<void>(File::open(folder / "i.json"));
    FAIL("it was opened");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::cannot_open);
    CHECK(error.details().file == (folder / "absent.safetensors").string());
  }
}

TEST_CASE("one file under many names is opened no more than twice") {
  const Folder folder;
  const Checkpoint checkpoint;
  safetensors::write_file(folder / "0", std::span(checkpoint.items()).first(2));  // e, d
  std::filesystem::create_hard_link(folder / "0", folder / "1");
  std::filesystem::create_symlink("0", folder / "1s");
  const auto error_with = [&](const std::string& map) {
    write_text(folder / "i.json", "{\"weight_map\":{" + map + "}}");
    try {
      static_cast<void>(File::open(folder / "i.json"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("opened");
  };
  // The last file is not there: who opens it says so.
  for (const std::string link : {"1", "1s"})
    CHECK(error_with(R"("e":"0","d":")" + link + R"(","x":"2","y":"2","z":"2")") ==
          (folder / link).string() +
              ": at d: two files hold a tensor of the same name: found the other in \"0\".");
}

TEST_CASE("files with more tensors than their index says are not all opened") {
  const Folder folder;
  const Checkpoint checkpoint;
  safetensors::write_file(folder / "0", std::span(checkpoint.items()).first(3));  // e, d, c
  write_text(folder / "i.json", R"({"weight_map":{"e":"0","x":"absent"}})");
  try {
    static_cast<void>(File::open(folder / "i.json"));
    FAIL("it was opened");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          (folder / "i.json").string() +
              ": at c: a file holds a tensor that the index does not name: found it in \"0\". "
              "Index and files come from different saves or downloads.");
  }
}

TEST_CASE("limits hold for all files of a checkpoint together") {
  const Folder folder;
  const Checkpoint checkpoint;
  safetensors::write_sharded(folder / "m", checkpoint.items(), {}, 80);
  const auto path = folder / "m.safetensors.index.json";
  const auto code = [&](const Limits& limits) {
    try {
      static_cast<void>(File::open(path, {.limits = limits}));
      return std::string("none");
    } catch (const Error& error) {
      return std::string(to_string(error.code()));
    }
  };
  CHECK(code({.shards = 3}) == "none");
  CHECK(code({.shards = 2}) == "limit_exceeded");
  CHECK(code({.tensors = 5}) == "none");
  CHECK(code({.tensors = 4}) == "limit_exceeded");
  CHECK(code({.header_bytes = 150}) == "limit_exceeded");
  // A single file holds itself to the same bound.
  const auto file = folder / "model-00001-of-00003.safetensors";
  safetensors::write_file(file, checkpoint.items());
  CHECK(File::open(file, {.limits = {.tensors = 5}}).size() == 5);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(File::open(file, {.limits = {.tensors = 4}})),
      (file.string() + ": there are too many tensors: expected at most 4 (Limits::tensors).")
          .c_str(),
      Error);
}

}  // namespace
}  // namespace safestructures
