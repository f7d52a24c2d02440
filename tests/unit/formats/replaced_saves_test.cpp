// Saves at a path where something was saved before, as one file or in several.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
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

namespace {

using Model = std::map<std::string, std::vector<float>>;
using Names = std::vector<std::string>;

constexpr const char* single_name = "m.safetensors";
constexpr const char* index_name = "m.safetensors.index.json";

/// Four tensors of 8 bytes.
Model model(float number) {
  Model result;
  for (const char* const name : {"a", "b", "c", "d"}) result[name] = {number, 0.5F};
  return result;
}

std::string text_of(const fs::path& file) {
  return (std::ostringstream() << std::ifstream(file, std::ios::binary).rdbuf()).str();
}

void put(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

Names shards(int count) {
  Names names;
  for (int i = 1; i <= count; ++i)
    names.push_back("m-0000" + std::to_string(i) + "-of-0000" + std::to_string(count) +
                    ".safetensors");
  return names;
}

Names with(Names names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("shards take the place of the file that was saved at their path") {
  const Folder folder;
  for (const std::string name : {"m.safetensors", "m"}) {
    ss::save_file(model(1), folder / name);
    CHECK(ss::save_file(model(2), folder / name, {.shard_size = 16}).removed == Names{name});
    CHECK(folder.names() == with(shards(2), {index_name}));
    CHECK(ss::load_file<Model>(folder / index_name) == model(2));
  }
  // The path of the index is that of nothing else.
  ss::save_file(model(1), folder / single_name);
  fs::remove(folder / index_name);
  ss::save_file(model(2), folder / index_name, {.shard_size = 16});
  CHECK(ss::load_file<Model>(folder / single_name) == model(1));
}

TEST_CASE("a file takes the place of the shards that were saved at its path") {
  const Folder folder;
  ss::save_file(model(1), folder / single_name, {.shard_size = 8});
  // Without a size it is only a file beside them.
  ss::save_file(model(2), folder / single_name);
  CHECK(folder.names() == with(shards(4), {single_name, index_name}));
  CHECK(ss::load_file<Model>(folder / index_name) == model(1));
  const Names removed = ss::save_file(model(2), folder / single_name, {.shard_size = 1000}).removed;
  CHECK(with(removed, {}) == with(shards(4), {index_name}));
  CHECK(folder.names() == Names{single_name});
  CHECK(ss::load_file<Model>(folder / single_name) == model(2));
  CHECK(ss::save_file(model(2), folder / single_name, {.shard_size = 1000}).removed.empty());
}

TEST_CASE("the container alone replaces what was saved at its path, too") {
  const Folder folder;
  const Tensor tensor = Tensor::own<float>({1, 2});
  const std::vector<ss::safetensors::Item> items = {{"a", tensor}, {"b", tensor}};
  ss::safetensors::write_sharded(folder / single_name, items, {}, 8);
  REQUIRE(folder.names() == with(shards(2), {index_name}));
  ss::safetensors::write_sharded(folder / single_name, items, {}, 1000);
  CHECK(folder.names() == Names{single_name});
  const ss::SaveReport report = ss::safetensors::write_sharded(folder / single_name, items, {}, 8);
  CHECK(report.removed == Names{single_name});
  CHECK(folder.names() == with(shards(2), {index_name}));
}

TEST_CASE("of shards in another number no earlier ones stay behind") {
  const Folder folder;
  int last = 0;
  for (const std::string name : {single_name, index_name}) {
    for (const std::uint64_t size : {8U, 24U, 16U, 8U}) {
      const int count = size == 8 ? 4 : 2;
      const ss::SaveReport report =
          ss::save_file(model(static_cast<float>(size)), folder / name, {.shard_size = size});
      // Of the same number each is replaced.
      CHECK(report.removed == (last == 0 || last == count ? Names{} : shards(last)));
      CHECK(folder.names() == with(shards(count), {index_name}));
      last = count;
      CHECK(ss::load_file<Model>(folder / index_name) == model(static_cast<float>(size)));
    }
  }
}

TEST_CASE("what fits into one file is one, the same as without a size") {
  const Folder folder;
  for (ss::SaveOptions options :
       {ss::SaveOptions{}, ss::SaveOptions{.schema = false}, ss::SaveOptions{.checksums = true}}) {
    for (const std::string name : {"m.safetensors", "m"}) {
      ss::save_file(model(1), folder / "plain.safetensors", options);
      ss::save_file(model(0), folder / name, {.shard_size = 8});
      options.shard_size = 32;
      ss::save_file(model(1), folder / name, options);
      CHECK(text_of(folder / name) == text_of(folder / "plain.safetensors"));
      options.shard_size = 0;
      for (const std::string& each : folder.names()) fs::remove(folder / each);
    }
  }
  ss::save_file(model(1), folder / single_name, {.shard_size = 8});
  ss::save_file(model(2), folder / single_name, {.shard_size = 1000});
  CHECK(folder.names() == Names{single_name});
  CHECK(ss::load_file<Model>(folder / single_name) == model(2));
}

TEST_CASE("whoever names the index gets one, even of a single shard") {
  const Folder folder;
  ss::save_file(model(1), folder / index_name, {.shard_size = 1000});
  CHECK(folder.names() == with(shards(1), {index_name}));
  CHECK(ss::load_file<Model>(folder / index_name) == model(1));
}

TEST_CASE("only files that the earlier index names are removed, if they are called as its shards") {
  const Folder folder;
  const Names others = {"m-00001-of-00009.safetensors",   "m-0001-of-0002.safetensors",
                        "m-00001-of-0000x.safetensors",   "m-x-of-00002.safetensors",
                        "m--of-00002.safetensors",        "mm-00001-of-00002.safetensors",
                        "m-00001-of-00002.safetensors.gz"};
  Names listed = others;
  listed.erase(listed.begin());  // The first is called so, but not in the index.
  const std::string own = R"({"metadata": {"_safestructures_save_": "x"}, "weight_map": {)";
  const auto prepare = [&](const std::string& start) {
    for (const std::string& name : others) put(folder / name, "kept");
    put(folder / "m-00003-of-00003.safetensors", "listed");
    std::string map = R"("t": "m-00003-of-00003.safetensors")";
    for (const std::string& name : listed) map += ", \"" + name + "\": \"" + name + '"';
    put(folder / index_name, start + map + "}}");
  };
  prepare(own);
  ss::save_file(model(1), folder / single_name, {.shard_size = 1000});
  CHECK(folder.names() == with(others, {single_name}));
  prepare(own);
  ss::save_file(model(1), folder / single_name, {.shard_size = 24});
  CHECK(folder.names() == with(with(shards(2), {index_name}), others));
}

TEST_CASE("a file leaves an index alone that this library did not save, or that is none") {
  const Folder folder;
  for (const std::string text :
       {R"({"metadata": {"total_size": 8}, "weight_map": {"a": "m-00001-of-00001.safetensors"}})",
        "{}", "no index"}) {
    put(folder / "m-00001-of-00001.safetensors", "downloaded");
    put(folder / index_name, text);
    ss::save_file(model(1), folder / single_name, {.shard_size = 1000});
    CHECK(text_of(folder / index_name) == text);
    CHECK(text_of(folder / "m-00001-of-00001.safetensors") == "downloaded");
  }
}

TEST_CASE("a file of another name or kind leaves the shards beside it alone") {
  const Folder folder;
  ss::save_file(model(1), folder / single_name, {.shard_size = 16});
  for (const std::string name : {"m.json", "m.safetensors.gz"})
    ss::save_file(model(2), folder / name);
  for (const std::string name : {"m", "n.safetensors"})
    ss::save_file(model(2), folder / name, {.shard_size = 1000});
  CHECK(ss::load_file<Model>(folder / index_name) == model(1));
}

TEST_CASE("a link at the path of shards is removed, what it leads to is not, nor is a folder") {
  const Folder folder;
  ss::save_file(model(1), folder / "elsewhere.safetensors");
  fs::create_symlink("elsewhere.safetensors", folder / single_name);
  ss::save_file(model(2), folder / single_name, {.shard_size = 16});
  CHECK(folder.names() == with(shards(2), {index_name, "elsewhere.safetensors"}));
  CHECK(ss::load_file<Model>(folder / "elsewhere.safetensors") == model(1));
  fs::create_directory(folder / single_name);
  ss::save_file(model(3), folder / single_name, {.shard_size = 16});
  CHECK(fs::is_directory(folder / single_name));
}

TEST_CASE("what is loaded from shards is saved in their place as one file, and the reverse") {
  const Folder folder;
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
    ss::save_file(model(1), folder / single_name, {.shard_size = 16});
    const ss::Value loaded = ss::load_file(folder / index_name, {.access = access});
    ss::save_file(loaded, folder / single_name, {.shard_size = 1000});
    CHECK(folder.names() == Names{single_name});
    const ss::Document file = ss::open(folder / single_name, {.access = access});
    ss::convert_file(file, folder / single_name, {.shard_size = 16});
    CHECK(ss::load_file<Model>(folder / index_name) == model(1));
    // What was open before can still be used.
    CHECK(loaded.as<Model>() == model(1));
    CHECK(file.as<Model>() == model(1));
  }
}

TEST_CASE("a save that fails removes nothing of an earlier one") {
  const Folder folder;
  const std::map<std::string, std::vector<double>> bad = {{"a", {1, 2}}, {"b", {1e300, 2}}};
  const auto error = [&](std::uint64_t shard_size) {
    return error_of(
               [&] { return ss::save_file(bad, folder / single_name, {.shard_size = shard_size}); })
        .substr(0, 13);
  };
  ss::save_file(model(1), folder / single_name, {.shard_size = 16});
  CHECK(error(1000) == "out_of_range:");
  CHECK(ss::load_file<Model>(folder / index_name) == model(1));
  ss::save_file(model(2), folder / single_name, {.shard_size = 1000});
  CHECK(error(8) == "out_of_range:");
  CHECK(ss::load_file<Model>(folder / single_name) == model(2));
}
