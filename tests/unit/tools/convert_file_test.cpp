// The contracts of tools/convert.hpp and tools/verify.hpp.

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
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

namespace fs = std::filesystem;
namespace ss = safestructures;
using ss::test::error_of;
using ss::test::Folder;

namespace {

using Model = std::map<std::string, std::vector<double>>;

Model model(double value) {
  Model model;
  for (const std::string name : {"a", "b", "c", "d"}) model[name] = std::vector<double>(100, value);
  return model;
}

}  // namespace

TEST_CASE("converting keeps structure, metadata, tensors beside it, and checksums") {
  const Folder folder;
  const std::vector<float> beside = {1, 2};
  ss::save_file(model(0.5), folder / "m.safetensors",
                {.metadata = {{"run", "42"}, {"by", "me"}},
                 .checksums = true,
                 .extra_tensors = {{"beside", ss::Tensor::of<float>(beside)}}});
  const ss::Document from = ss::open(folder / "m.safetensors");
  ss::convert_file(from, folder / "h.safetensors",
                   {.metadata = {{"by", "you"}}, .precision = ss::Precision::f16});
  const ss::Document half = ss::open(folder / "h.safetensors", {.verify_checksums = true});
  CHECK(half.metadata() == ss::Metadata{{"by", "you"}, {"run", "42"}});
  CHECK(half.unreferenced() == std::vector<std::string>{"beside"});
  CHECK(half.at("/a").tensor().dtype() == ss::DType::F16);
  CHECK(half.as<Model>() == model(0.5));
}

TEST_CASE("a plain file stays plain, whatever its metadata") {
  const Folder folder;
  ss::save_file(model(1), folder / "p.safetensors",
                {.metadata = {{"format", "pt"}}, .schema = false});
  ss::convert_file(ss::open(folder / "p.safetensors"), folder / "q.safetensors");
  const ss::Document again = ss::open(folder / "q.safetensors");
  CHECK_FALSE(again.has_schema());
  CHECK(again.metadata() == ss::Metadata{{"format", "pt"}});
  CHECK(again.as<Model>() == model(1));
}

TEST_CASE("a tensor whose name is empty keeps it in a plain file") {
  const Folder folder;
  const Model named = {{"", {1}}, {"a", {2}}};
  ss::save_file(named, folder / "p.safetensors", {.schema = false});
  CHECK(ss::load_file<Model>(folder / "p.safetensors") == named);
  ss::convert_file(ss::open(folder / "p.safetensors"), folder / "q.safetensors");
  CHECK(ss::load_file<Model>(folder / "q.safetensors") == named);
}

TEST_CASE("a plain file, and one with checksums, become files of a format that has neither") {
  const Folder folder;
  ss::save_file(model(1), folder / "p.safetensors", {.schema = false});
  ss::save_file(model(2), folder / "c.safetensors", {.checksums = true});
  ss::convert_file(ss::open(folder / "p.safetensors"), folder / "p.json");
  ss::convert_file(ss::open(folder / "c.safetensors"), folder / "c.json");
  CHECK(ss::load_file<Model>(folder / "p.json") == model(1));
  CHECK(ss::load_file<Model>(folder / "c.json") == model(2));
}

TEST_CASE("damage that checksums tell of is refused, and never gets checksums that match") {
  const Folder folder;
  const auto damage = [&](const std::string& name) {
    const auto last = static_cast<std::streamoff>(std::filesystem::file_size(folder / name) - 1);
    std::fstream(folder / name, std::ios::in | std::ios::out | std::ios::binary)
        .seekp(last)
        .put('\1');
  };
  const auto error = [&](const std::string& name, std::uint64_t offset) {
    return "checksum_mismatch: " + (folder / name).string() +
           ": at d: the bytes of a tensor are not those that were saved: expected checksum "
           "DIGITS, found DIGITS (byte " +
           std::to_string(offset) + "). Get the file again from where it came from.";
  };
  // The digits are those of XXH3, which integrity_test.cpp checks.
  const auto without_digits = [](std::string text) {
    for (const std::string_view before : {"checksum ", ", found "})
      if (const std::size_t at = text.find(before); at != std::string::npos)
        text.replace(at + before.size(), 16, "DIGITS");
    return text;
  };
  ss::save_file(model(1), folder / "m.safetensors", {.checksums = true});
  const std::uint64_t offset = std::filesystem::file_size(folder / "m.safetensors") - 400;
  damage("m.safetensors");
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
    const ss::Document from = ss::open(folder / "m.safetensors", {.access = access});
    for (const std::string to : {"n.safetensors", "n.json", "m.safetensors"})
      CHECK(without_digits(error_of([&] { return ss::convert_file(from, folder / to); })) ==
            error("m.safetensors", offset));
    std::ostringstream out;
    CHECK(without_digits(error_of([&] { return ss::convert(from, out); })) ==
          error("m.safetensors", offset));
    CHECK(out.str().empty());
  }
  CHECK(folder.names() == std::vector<std::string>{"m.safetensors"});

  ss::save_file(model(1), folder / "s.safetensors", {.checksums = true, .shard_size = 900});
  const std::string shard = "s-00002-of-00002.safetensors";
  const std::uint64_t in_shard = std::filesystem::file_size(folder / shard) - 400;
  damage(shard);
  CHECK(without_digits(error_of([&] {
          return ss::convert_file(ss::open(folder / "s.safetensors.index.json"),
                                  folder / "n.safetensors");
        })) == error(shard, in_shard));
}

TEST_CASE("a file may be converted onto itself") {
  const Folder folder;
  ss::save_file(model(2), folder / "m.safetensors");
  ss::convert_file(ss::open(folder / "m.safetensors"), folder / "m.safetensors",
                   {.precision = ss::Precision::f16});
  CHECK(ss::load_file<Model>(folder / "m.safetensors") == model(2));
  CHECK(folder.names() == std::vector<std::string>{"m.safetensors"});
}

TEST_CASE("a sharded save that fails in a later shard leaves every file as it was") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  ss::save_file(model(1), path, {.shard_size = 500});
  const std::vector<std::string> before = folder.names();
  REQUIRE(before.size() == 5);
  Model bad = model(2);
  bad["d"][99] = 1e300;
  CHECK(error_of([&] {
          return ss::save_file(bad, path, {.shard_size = 500});
        }).find("out_of_range") == 0);
  CHECK(folder.names() == before);
  CHECK(ss::load_file<Model>(folder / "m.safetensors.index.json") == model(1));
}

TEST_CASE("verifying counts tensors and bytes, and reports progress") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  ss::save_file(model(1), path, {.checksums = true});
  std::uint64_t done = 0;
  const ss::VerifyReport report =
      ss::verify_file(path, {.progress = [&](std::uint64_t more, std::uint64_t all) {
                        done += more;
                        CHECK(all == 1600);
                      }});
  CHECK(report.tensor_count == 4);
  CHECK(report.tensor_bytes == 1600);
  CHECK(report.has_checksums);
  CHECK(done == 1600);
}

TEST_CASE("verifying finds a flipped byte and an invalid bool") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  ss::save_file(std::map<std::string, std::vector<bool>>{{"flags", {true, false, true}}}, path);
  const auto last = static_cast<std::streamoff>(std::filesystem::file_size(path) - 1);
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(last).put(2);
  CHECK(error_of([&] { return ss::verify_file(path); }) ==
        "out_of_range: " + path.string() +
            ": at flags: a bool is neither true nor false: expected byte 0 or 1, found byte 2 "
            "(byte " +
            std::to_string(last) + ").");
  // In a format whose numbers are text nothing has that byte.
  const std::array<std::uint8_t, 3> flags = {1, 0, 2};
  const auto text = folder / "m.json";
  ss::save_file(ss::Tensor::borrow(ss::DType::BOOL, {3}, std::as_bytes(std::span(flags))), text);
  CHECK(error_of([&] { return ss::verify_file(text); }) ==
        "out_of_range: " + text.string() +
            ": at tensor: a bool is neither true nor false: expected byte 0 or 1, found byte 2 at "
            "element 2.");
  ss::save_file(model(1), path, {.checksums = true});
  const auto end = static_cast<std::streamoff>(std::filesystem::file_size(path) - 1);
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(end).put(1);
  CHECK(error_of([&] { return ss::verify_file(path); }).find("checksum_mismatch: ") == 0);
}

TEST_CASE("a file is verified within the limits that it may cost") {
  const Folder folder;
  const fs::path file = folder / "m.safetensors";
  ss::save_file(model(1), file);
  const auto verified = [&](const ss::Limits& limits) {
    return error_of([&] { return ss::verify_file(file, {.limits = limits}); });
  };
  CHECK(verified({.tensors = 4}) == "no error");
  CHECK(verified({.tensors = 3}).starts_with("limit_exceeded: " + file.string() + ": "));
  CHECK(verified({.nodes = 3}).starts_with("limit_exceeded: " + file.string() + ": "));
}
