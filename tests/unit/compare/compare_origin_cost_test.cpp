/// \file
/// What it costs to find who makes an error, whatever the order of the records.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include "support/cost.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;

/// Two recordings of the same names, of which the second is a little off from a record on.
void record_both(const fs::path& folder, const std::vector<std::string>& names,
                 std::size_t off_from) {
  for (const bool is_a : {true, false}) {
    ss::ActivationRecorder recorder(folder / (is_a ? "a" : "b"));
    for (std::size_t i = 0; i < names.size(); ++i)
      recorder.record(names[i], std::vector<float>{1, is_a && i >= off_from ? 2.01F : 2});
    recorder.close();
  }
}

ss::Comparison compared(const fs::path& folder) {
  return ss::compare_files(folder / "a", folder / "b", {.suggest = false});
}

/// The record that is taken as the input of the last one.
std::string input_of_last(const ss::Comparison& found) {
  const ss::ComparisonRow last = found.rows.at(found.rows.size() - 1);
  return found.rows.at(last.origin->input_row.value()).record->name;
}

}  // namespace

TEST_CASE("what was inside a layer is its input, however many records of others lie between") {
  for (const std::size_t between : {0U, 14U, 15U, 16U, 17U, 100U}) {
    CAPTURE(between);
    std::vector<std::string> names = {"x.part", "x.input", "x.part", "x.input"};
    for (std::size_t i = 0; i < between; ++i) names.push_back("y" + std::to_string(i));
    names.emplace_back("x");
    const ss::test::Folder folder;
    fs::create_directory(folder / "runs");
    // The part alone is off, and the layer passes that on.
    for (const bool is_a : {true, false}) {
      ss::ActivationRecorder recorder(folder / (is_a ? "runs/a" : "runs/b"));
      for (std::size_t i = 0; i < names.size(); ++i)
        recorder.record(
            names[i], std::vector<float>{1, is_a && (i == 2 || i + 1 == names.size()) ? 2.01F : 2});
      recorder.close();
    }
    const ss::Comparison found = compared(folder / "runs");
    CHECK(input_of_last(found) == "x.part");
    CHECK(found.rows.at(found.rows.size() - 1).origin->evidence == ss::InputEvidence::recorded);
    REQUIRE(found.culprits.size() == 1);
    CHECK(found.culprits[0].name == "x.part");
  }
}

TEST_CASE("the layers that make an error are found in time proportional to the records") {
  const ss::test::Folder folder;
  const auto make = [&](const std::string& kind, std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i)
      names.push_back(kind == "layers" ? "L" + std::to_string(i) + ".input" : "L.input");
    for (std::size_t i = 0; i < count; ++i)
      names.push_back(kind == "layers" ? "L" + std::to_string(i) + ".output" : "L.output");
    const fs::path runs = folder / (kind + std::to_string(count));
    fs::create_directory(runs);
    record_both(runs, names, count);
    return runs;
  };
  for (const std::string kind : {"layers", "inputs"}) {
    const fs::path small = make(kind, 2500);
    const fs::path large = make(kind, 20'000);
    ss::test::check_ratio(
        kind, [&] { static_cast<void>(compared(small)); },
        [&] { static_cast<void>(compared(large)); }, 24);
  }
}
