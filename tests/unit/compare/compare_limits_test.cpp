/// \file
/// `CompareOptions::limits`: what the files of a comparison may cost, whichever of them it is.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using ss::test::error_of;
using ss::test::Folder;

namespace {

void save(const std::filesystem::path& path, int tensors) {
  std::map<std::string, std::vector<float>> model;
  for (int i = 0; i < tensors; ++i) model[std::to_string(i)] = {1, 2};
  ss::save_file(model, path);
}

/// Records of a tensor each, none of which lies in one with others.
void record(const std::filesystem::path& folder, int records) {
  ss::ActivationRecorder recorder(folder);
  for (int i = 0; i < records; ++i)
    recorder.record("x", std::map<std::string, std::vector<float>>{
                             {"a", std::vector<float>(static_cast<std::size_t>(i) + 1)}});
  recorder.close();
}

}  // namespace

TEST_CASE("both files of a comparison, and those of its noise, are held to its limits") {
  const Folder folder;
  save(folder / "small", 4);
  save(folder / "large", 100);
  record(folder / "small-run", 4);
  record(folder / "large-run", 100);
  for (const std::string kind : {"", "-run"}) {
    const std::filesystem::path small = folder / ("small" + kind);
    const std::filesystem::path large = folder / ("large" + kind);
    const std::vector<std::vector<std::filesystem::path>> cases = {
        {large, small, small}, {small, large, small}, {small, small, large}};
    for (const auto& paths : cases) {
      CAPTURE(paths);
      const auto compared = [&](const ss::Limits& limits) {
        return error_of([&] {
          return ss::compare_files(paths[0], paths[1], {.noise = {paths[2]}, .limits = limits});
        });
      };
      CHECK(compared({}) == "no error");
      CHECK(compared({.tensors = 50}).starts_with("limit_exceeded: " + large.string()));
    }
  }
}
