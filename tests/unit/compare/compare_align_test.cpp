/// \file
/// Calls of two runs are aligned by their shapes, their numbers and their order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>

#include "compare/pairing/align.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace comparing = ss::comparing;
using ss::RecordMatch;
using Calls = std::vector<comparing::Call>;

constexpr std::size_t none = comparing::Aligned::none;

std::vector<std::size_t> others_of(const Calls& a, const Calls& b) {
  std::vector<std::size_t> others;
  for (const comparing::Aligned& one : comparing::align(a, b)) others.push_back(one.other);
  return others;
}

std::vector<RecordMatch> matches_of(const Calls& a, const Calls& b) {
  std::vector<RecordMatch> matches;
  for (const comparing::Aligned& one : comparing::align(a, b)) matches.push_back(one.match);
  return matches;
}

using Places = std::vector<std::size_t>;
using Matches = std::vector<RecordMatch>;

}  // namespace

TEST_CASE("calls of the same numbers and shapes are the same") {
  const Calls calls = {{0, 1}, {1, 2}, {2, 1}};
  CHECK(others_of(calls, calls) == Places{0, 1, 2});
  CHECK(matches_of(calls, calls) == Matches(3, RecordMatch::call));
  CHECK(others_of(calls, {}) == Places(3, none));
  CHECK(others_of({}, calls).empty());
}

TEST_CASE("calls that were not kept leave the others as they are") {
  const Calls half = {{0, 1}, {2, 1}, {4, 1}};
  const Calls all = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}};
  CHECK(others_of(half, all) == Places{0, 2, 4});
  CHECK(matches_of(half, all) == Matches(3, RecordMatch::call));
  CHECK(others_of(all, half) == Places{0, none, 1, none, 2, none});
}

TEST_CASE("as many calls of other numbers are the same in their order") {
  const Calls a = {{3, 1}, {4, 1}, {5, 1}};
  const Calls b = {{4, 1}, {5, 1}, {6, 1}};
  CHECK(others_of(a, b) == Places{0, 1, 2});
  CHECK(matches_of(a, b) == Matches(3, RecordMatch::order));
}

TEST_CASE("one more call of other shapes moves no other") {
  const Calls a = {{0, 1}, {1, 1}, {2, 1}};
  const Calls b = {{0, 2}, {1, 1}, {2, 1}, {3, 1}};
  CHECK(others_of(a, b) == Places{1, 2, 3});
  CHECK(matches_of(a, b) == Matches(3, RecordMatch::shape));
  CHECK(others_of(b, a) == Places{none, 0, 1, 2});
}

TEST_CASE("what has other shapes between two that are the same is compared with it") {
  const Calls a = {{10, 1}, {11, 1}, {12, 1}, {13, 3}};
  const Calls b = {{1, 1}, {2, 2}, {3, 1}, {4, 3}, {5, 1}};
  CHECK(others_of(a, b) == Places{0, 1, 2, 3});
  CHECK(matches_of(a, b) ==
        Matches{RecordMatch::shape, RecordMatch::order, RecordMatch::shape, RecordMatch::shape});
}

TEST_CASE("too many calls to try them all are aligned by their numbers") {
  Calls a;
  Calls b;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    a.push_back({i, i % 7});
    b.push_back({i + 10, i % 5});
  }
  const Places others = others_of(a, b);
  for (std::size_t i = 10; i < others.size(); ++i) CHECK(others[i] == i - 10);
  CHECK(std::ranges::count(others, none) == 10);
}

TEST_CASE("an alignment is in order, and has as many calls of the same shapes as can be") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300; ++round) {
    const auto calls = [&] {
      Calls some(random() % 9);
      std::uint64_t number = 0;
      for (comparing::Call& call : some)
        call = {number += random() % 3, static_cast<std::uint32_t>(random() % 3)};
      return some;
    };
    const Calls a = calls();
    const Calls b = calls();
    std::size_t next = 0;
    std::size_t same = 0;
    for (std::size_t i = 0; const auto& [other, match] : comparing::align(a, b)) {
      if (other != none) {
        REQUIRE(other >= next);
        REQUIRE(other < b.size());
        next = other + 1;
        same += a[i].form == b[other].form ? 1U : 0U;
        CHECK((match == RecordMatch::call) == (a[i].number == b[other].number));
        if (match == RecordMatch::shape) CHECK(a[i].form == b[other].form);
      }
      ++i;
    }
    // The longest common subsequence, by the textbook.
    std::vector<std::vector<std::size_t>> most(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
      for (std::size_t j = 1; j <= b.size(); ++j)
        most[i][j] = a[i - 1].form == b[j - 1].form ? most[i - 1][j - 1] + 1
                                                    : std::max(most[i - 1][j], most[i][j - 1]);
    CHECK(same == most[a.size()][b.size()]);
  }
}

TEST_CASE("one more call in a run moves no other, and says how sure that is") {
  const ss::test::Folder folder;
  for (const char* name : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / name);
    for (std::int64_t step = 0; step < 2; ++step) {
      recorder.step(step);
      if (*name == 'b' && step == 0) recorder.record("attention", std::vector<float>(8, 1));
      for (int call = 0; call < 3; ++call)
        recorder.record("attention", std::vector<float>(4, static_cast<float>(10 * step + call)));
    }
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  REQUIRE(found.rows.size() == 7);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(found.rows[i].verdict == ss::Verdict::equal);
    CHECK(found.rows[i].record->match == (i < 3 ? RecordMatch::shape : RecordMatch::order));
  }
  CHECK(found.rows[6].verdict == ss::Verdict::only_b);
  CHECK(found.rows[6].record->call == 0);
  CHECK(found.culprits.empty());
  CHECK(found.notes ==
        std::vector<std::string>{
            "records paired by their order, because their calls are numbered differently: 3",
            "records paired by their shapes, because their calls are numbered differently: 3"});
  std::ostringstream text;
  found.write_text(text, {.all = true});
  CHECK(text.str().find("step 0 call 1  attention  paired by its shape") != std::string::npos);
  std::ostringstream json;
  found.write_json(json);
  CHECK(json.str().find(R"("paired_by": "order")") != std::string::npos);
}
