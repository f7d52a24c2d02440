/// \file
/// The table of recordings whose names have several calls: a row for each name.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::Value;

std::string table_of(const ss::Comparison& found, const ss::TableOptions& options = {}) {
  std::ostringstream text;
  found.write_text(text, options);
  return text.str();
}

std::string row_of(const std::string& table, const std::string& name) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);)
    if (line.find("  " + name) != std::string::npos) return line;
  return {};
}

/// Records `count` calls of each of these, in steps.
using Call = std::pair<std::string, Value>;
void record(const std::filesystem::path& folder, const std::vector<std::vector<Call>>& steps) {
  ss::ActivationRecorder recorder(folder);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    recorder.step(static_cast<std::int64_t>(i));
    for (const auto& [name, value] : steps[i]) recorder.record(name, value);
  }
  recorder.close();
}

Value numbers(std::vector<float> all) { return Value::from(std::move(all)); }

/// How the rows of one name are ranked, and shown.
struct Expected {
  double badness = -1;
  std::size_t index = 0;  // Of the worst row.
  std::string place;
  std::size_t different = 0;
  std::size_t calls = 0;
};

/// The same from the rows, one by one: the place of each name's worst call, and its calls.
std::vector<Expected> names_by_rows(const ss::Comparison& found) {
  std::map<std::string, std::size_t> seen;
  std::vector<Expected> names;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const ss::ComparisonRow& row = found.rows[i];
    const auto [entry, is_new] = seen.try_emplace(row.path, names.size());
    if (is_new) names.emplace_back();
    Expected& name = names[entry->second];
    ++name.calls;
    name.different += ss::is_difference(row.verdict) ? 1U : 0U;
    if (row.verdict == ss::Verdict::equal) continue;
    const double badness = row.metrics->max_ratio && row.metrics->non_finite.differing() == 0
                               ? *row.metrics->max_ratio
                               : std::numeric_limits<double>::infinity();
    if (badness <= name.badness) continue;
    name.badness = badness;
    name.index = i;
    name.place = "step " + std::to_string(row.record->step) + " call " +
                 std::to_string(row.record->call) + "  " + row.path;
  }
  std::erase_if(names, [](const Expected& name) { return name.badness < 0; });
  std::ranges::sort(names, {},
                    [](const Expected& name) { return std::pair(-name.badness, name.index); });
  return names;
}

}  // namespace

TEST_CASE("of several calls the table shows the worst, and how many differ") {
  const ss::test::Folder folder;
  record(folder / "a", {{{"x", numbers({1, 2})}, {"y", numbers({1, 2})}, {"z", numbers({0})}},
                        {{"x", numbers({1, 4})}, {"y", numbers({1, 2})}, {"z", numbers({0})}},
                        {{"x", numbers({1, 3})}, {"y", numbers({9, 2})}, {"z", numbers({0})}}});
  const std::vector<Call> step = {
      {"x", numbers({1, 2})}, {"y", numbers({1, 2})}, {"z", numbers({0})}};
  record(folder / "b", {step, step, step});
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  const std::string closing =
      "6 equal tensors not shown\n"
      "first divergence: step 1, call 1 of x, worst at [1]: 4 and 2\n"
      "makes an error: x, step 1 call 1: error 8.94e-01; nothing was recorded before it in its "
      "step "
      "and thread; in 2 of its calls\n"
      "makes an error: y, step 2 call 2: error 3.58e+00, but 4.47e-01 in x, which was recorded "
      "before it\n"
      "compared 9 tensors, 15 of 15 numbers finite in both, and 0 other values\n"
      "different: 3 differences\n";
  const std::string title =
      "verdict     max abs   max rel    rel L2  SNR dB      ULP  beyond        out/in  calls  "
      "record\n";
  const std::string y =
      "different  8.00e+00  8.00e+00  3.58e+00   -11.1  >binade     1/2  8.00e+00 new    1/3  "
      "step 2 call 2  y  worst at [0]: 9 and 1\n";
  CHECK(table_of(found) ==
        title + y +
            "different  2.00e+00  1.00e+00  8.94e-01     1.0  8388608     1/2           new    "
            "2/3  step 1 call 1  x  worst at [1]: 4 and 2\n" +
            closing);
  CHECK(table_of(found, {.rows = 1}) == title + y + "... 1 row more\n" + closing);

  const auto rows_of = [&](const ss::TableOptions& options) {
    const std::string table = table_of(found, options);
    CHECK(table.find("  calls  ") == std::string::npos);
    return std::ranges::count(table.substr(0, table.find("first divergence")), '\n') - 1;
  };
  // Each call by itself: three that differ and how many are equal, or all nine.
  CHECK(rows_of({.order = ss::RowOrder::call}) == 3 + 1);
  CHECK(rows_of({.all = true}) == 9);
  CHECK(rows_of({.order = ss::RowOrder::call, .all = true}) == 9);
}

TEST_CASE("values in records, and records of one side, have one row for each name") {
  const ss::test::Folder folder;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto pair_of = [](float first, float second) {
    return Value::from(std::map<std::string, std::vector<float>>{{"p", {first}}, {"q", {second}}});
  };
  record(folder / "a", {{{"d", pair_of(1, 2)}, {"n", numbers({1, 2})}, {"only", numbers({1})}},
                        {{"d", pair_of(1, 4)}, {"n", numbers({1, nan})}, {"only", numbers({1})}},
                        {{"d", pair_of(5, 2)}, {"n", numbers({1, 3})}, {"s", numbers({1})}},
                        {{"d", pair_of(6, 9)}, {"n", numbers({1, 2})}, {"s", numbers({1, 2})}}});
  const std::vector<Call> step = {{"d", pair_of(1, 2)}, {"n", numbers({1, 2})}};
  std::vector<Call> with_s = step;
  with_s.emplace_back("s", numbers({2}));
  record(folder / "b", {step, step, with_s, with_s});
  const std::string table = table_of(ss::compare_files(folder / "a", folder / "b"));
  // Of d the values one by one; of n the call with a NaN; of s the one of another shape.
  CHECK(row_of(table, "only  ").find("2/2  step 0 call 0  only") != std::string::npos);
  CHECK(row_of(table, "n  ").find("2/4  step 1 call 1  n  worst at [1]: nan and 2") !=
        std::string::npos);
  CHECK(row_of(table, "s  ").find("2/2  step 3 call 1  s  [2] and [1]") != std::string::npos);
  CHECK(row_of(table, "d/q  ").find("2/4  step 3 call 3  d/q") != std::string::npos);
  CHECK(row_of(table, "d/p  ").find("2/4  step 3 call 3  d/p") != std::string::npos);
  CHECK(table.find("\n6 equal tensors not shown\n") != std::string::npos);
  CHECK(std::ranges::count(table.substr(0, table.find("\n6 equal")), '\n') == 5);
}

TEST_CASE("a table without several calls of a name has no column of them") {
  const ss::test::Folder folder;
  record(folder / "a", {{{"x", numbers({1})}, {"y", numbers({1})}}});
  record(folder / "b", {{{"x", numbers({2})}, {"y", numbers({1})}}});
  const std::string table = table_of(ss::compare_files(folder / "a", folder / "b"));
  CHECK(table.starts_with(
      "verdict     max abs   max rel    rel L2  SNR dB      ULP  beyond  out/in  record\n"));
}

TEST_CASE("the table shows each name's worst call, the worst names first") {
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::vector<float> errors = {
      0, 0, 1e-9F, 1e-3F, 1e-3F, 1, std::numeric_limits<float>::infinity()};
  for (int round = 0; round < 20; ++round) {
    const ss::test::Folder folder;
    std::vector<std::vector<Call>> a(1 + random() % 12);
    std::vector<std::vector<Call>> b(a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      for (int name = 0; name < 9; ++name) {
        if (random() % 3 == 0) continue;
        const float error = errors[random() % errors.size()];
        // Those of other shapes are of another kind, and large ones are stored whole.
        const std::size_t size = random() % 4 == 0 ? 200'000 : 1 + random() % 2;
        std::vector<float> exact(size, 1);
        std::vector<float> other = exact;
        other.back() += error;
        a[i].emplace_back("name" + std::to_string(name), numbers(other));
        b[i].emplace_back("name" + std::to_string(name), numbers(exact));
      }
    record(folder / "a", a);
    record(folder / "b", b);
    const ss::Comparison found = ss::compare_files(folder / "a", folder / "b", {.suggest = false});
    const std::vector<Expected> names = names_by_rows(found);
    for (const std::size_t most :
         {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{100}}) {
      CAPTURE(most);
      const std::string table = table_of(found, {.rows = most});
      const auto shown = std::span(names).first(std::min(most, names.size()));
      const bool have_calls =
          std::ranges::any_of(shown, [](const Expected& name) { return name.calls > 1; });
      std::istringstream lines(table);
      std::string line;
      if (!shown.empty()) std::getline(lines, line);
      CHECK((line.find("  calls  ") != std::string::npos) == have_calls);
      for (const Expected& name : shown) {
        std::getline(lines, line);
        std::string expected = "  " + name.place;
        if (have_calls)
          expected = std::to_string(name.different) + "/" + std::to_string(name.calls) + expected;
        CAPTURE(expected);
        CHECK(line.find(expected) != std::string::npos);
      }
      std::getline(lines, line);
      CHECK(line.starts_with("... " + std::to_string(names.size() - shown.size()) + " row") ==
            (shown.size() != names.size()));
    }
  }
}
