/// \file
/// `durable` of every way to save: whether the system is asked to have it on the disk, once for
/// each file and once for each name.
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

/// What the system was asked for in the end: to synchronise files and folders, and to rename.
std::vector<std::string> final_calls_of(const std::function<void()>& save) {
  script = {};
  script.tracing = true;
  save();
  std::vector<std::string> calls;
  for (const std::string& call : script.trace)
    if (call == "fsync" || call == "rename") calls.push_back(call);
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
