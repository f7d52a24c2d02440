/// \file
/// `durable` of every way to save: whether the system is asked to have it on the disk, once for
/// each file and once for each name.
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/formats/safetensors/writer.hpp>
#include <safestructures/safestructures.hpp>

#include "support/failing_system.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using failing_system::script;
using ss::test::Folder;

namespace {

using Model = std::map<std::string, std::vector<float>>;

/// What the system was asked for in the end: to synchronise files and folders, to rename and to
/// remove.
std::vector<std::string> final_calls_of(const std::function<void()>& save) {
  script = {};
  script.tracing = true;
  save();
  std::vector<std::string> calls;
  for (const std::string& call : script.trace)
    if (call == "fsync" || call == "rename" || call == "unlink") calls.push_back(call);
  script = {};
  return calls;
}

}  // namespace

TEST_CASE("what is saved durably is synchronised, file and folder, by every way to save") {
  const Folder folder;
  const Model model = {{"a", std::vector<float>(1000, 1)}, {"b", std::vector<float>(1000, 2)}};
  ss::save_file(model, folder / "from.safetensors");
  const ss::Document from = ss::open(folder / "from.safetensors");
  const ss::Tensor tensor = from.at("/a").tensor();
  const std::vector<ss::safetensors::Item> items = {{"a", tensor}};
  const auto save = [&](const std::string& name, bool is_durable) {
    ss::save_file(model, folder / name, {.durable = is_durable});
  };
  const std::map<std::string, std::function<void(bool)>> ways = {
      {"the default format", [&](bool is_durable) { save("m.safetensors", is_durable); }},
      {"JSON", [&](bool is_durable) { save("m.json", is_durable); }},
      {"MessagePack", [&](bool is_durable) { save("m.msgpack", is_durable); }},
      {"burnpack", [&](bool is_durable) { save("m.bpk", is_durable); }},
      {"gzip", [&](bool is_durable) { save("m.safetensors.gz", is_durable); }},
      {"a conversion",
       [&](bool is_durable) {
         ss::convert_file(from, folder / "c.safetensors", {.durable = is_durable});
       }},
      {"a conversion to JSON",
       [&](bool is_durable) {
         ss::convert_file(from, folder / "c.json", {.durable = is_durable});
       }},
      {"the container alone", [&](bool is_durable) {
         ss::safetensors::write_file(folder / "w.safetensors", items, {}, {.durable = is_durable});
       }}};
  for (const auto& way : ways) {
    CAPTURE(way.first);
    CHECK(final_calls_of([&] { way.second(true); }) ==
          std::vector<std::string>{"fsync", "rename", "fsync"});
    CHECK(final_calls_of([&] { way.second(false); }) == std::vector<std::string>{"rename"});
  }
}

TEST_CASE("of a durable checkpoint in shards every file is synchronised, the index as the last") {
  const Folder folder;
  const Model model = {{"a", std::vector<float>(1000, 1)}, {"b", std::vector<float>(1000, 2)}};
  const auto calls = [&](bool is_durable) {
    return final_calls_of([&] {
      ss::save_file(model, folder / "m.safetensors.index.json",
                    {.durable = is_durable, .shard_size = 4000});
    });
  };
  // Two shards and an index.
  CHECK(calls(false) == std::vector<std::string>(3, "rename"));
  CHECK(calls(true) == std::vector<std::string>{"fsync", "fsync", "fsync", "rename", "fsync",
                                                "rename", "fsync", "rename", "fsync"});
}

TEST_CASE("an earlier save is removed when all of the new one is in place, its index first") {
  const Folder folder;
  const Model model = {{"a", std::vector<float>(1000, 1)}, {"b", std::vector<float>(1000, 2)}};
  const auto calls = [&](std::uint64_t shard_size, bool is_durable) {
    return final_calls_of([&] {
      ss::save_file(model, folder / "m.safetensors",
                    {.durable = is_durable, .shard_size = shard_size});
    });
  };
  using Calls = std::vector<std::string>;
  ss::save_file(model, folder / "m.safetensors");
  CHECK(calls(4000, false) == Calls{"rename", "rename", "rename", "unlink"});
  CHECK(calls(10000, false) == Calls{"rename", "unlink", "unlink", "unlink"});
  CHECK(calls(4000, true) == Calls{"fsync", "fsync", "fsync", "rename", "fsync", "rename", "fsync",
                                   "rename", "fsync", "unlink", "fsync"});
  CHECK(calls(10000, true) ==
        Calls{"fsync", "rename", "fsync", "unlink", "unlink", "unlink", "fsync"});
  CHECK(folder.names() == Calls{"m.safetensors"});
}

TEST_CASE("at each moment of a save in another kind of files, the old one loads or the new one") {
  const Folder folder;
  const Model one = {{"a", std::vector<float>(1000, 1)}, {"b", std::vector<float>(1000, 2)}};
  const Model other = {{"a", std::vector<float>(1000, 3)}, {"b", std::vector<float>(1000, 4)}};
  const auto path = folder / "m.safetensors";
  const auto index = folder / "m.safetensors.index.json";
  for (const bool to_shards : {true, false}) {
    for (const bool is_renaming : {true, false}) {
      const int count = is_renaming == to_shards ? 3 : 1;
      for (int skip = 0; skip < count; ++skip) {
        CAPTURE(to_shards);
        CAPTURE(is_renaming);
        CAPTURE(skip);
        for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
        ss::save_file(one, path, {.shard_size = to_shards ? 0U : 4000U});
        script = {};
        script.call = is_renaming ? "rename" : "unlink";
        script.skip = skip;
        script.times = 1;
        script.error = EACCES;
        std::string error;
        try {
          ss::save_file(other, path, {.shard_size = to_shards ? 4000U : 10000U});
        } catch (const ss::Error& caught) {
          error = caught.what();
        }
        script = {};
        const auto& loaded = is_renaming == to_shards ? path : index;
        CHECK(ss::load_file<Model>(loaded) == (is_renaming ? one : other));
        if (!is_renaming && skip == 0)
          CHECK(error == (to_shards ? path : index).string() +
                             ": what was saved is in place, but cannot remove the earlier save "
                             "that it replaces: Permission denied. Check the permissions of the "
                             "file and of its folder; the folder must be writable.");
        else CHECK(error.find("Permission denied") != std::string::npos);
      }
    }
  }
}
