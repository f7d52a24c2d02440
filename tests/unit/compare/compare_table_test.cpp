/// \file
/// Which rows a comparison's table shows, and in which order.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include <safestructures/tools/statistics.hpp>

#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using Names = std::vector<std::string>;

std::string table_of(const ss::Comparison& found, const ss::TableOptions& options) {
  std::ostringstream text;
  found.write_text(text, options);
  return text.str();
}

/// The records of a table, from above.
Names names_in(const std::string& table) {
  constexpr std::string_view before = " call 0  ";
  Names names;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line) && line.find("divergence") == line.npos;) {
    const std::size_t begin = line.find(before);
    if (begin == line.npos) continue;
    const std::string_view rest = std::string_view(line).substr(begin + before.size());
    names.emplace_back(rest.substr(0, rest.find(' ')));
  }
  return names;
}

/// Two runs of records that have errors of few sizes, so that many are as bad as others.
ss::Comparison compare_runs(std::size_t count, unsigned seed) {
  constexpr std::array<float, 6> errors = {0,    1e-7F, 0.25F,
                                           0.5F, 8,     std::numeric_limits<float>::infinity()};
  const ss::test::Folder folder;
  ss::ActivationRecorder a(folder / "a");
  ss::ActivationRecorder b(folder / "b");
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "layer" + std::to_string(i);
    const float error = errors[random() % errors.size()];
    const std::vector<float> exact = {1, 1};
    const std::vector<float> other = {1 + error, 1};
    // A row of its own kind among those that are kept in few bytes.
    if (random() % 50 == 0) {
      a.record(name, std::tuple(other, 1));
      b.record(name, std::tuple(exact, 1));
    } else {
      a.record(name, other);
      b.record(name, exact);
    }
  }
  a.close();
  b.close();
  return ss::compare_files(folder / "a", folder / "b", {.suggest = false});
}

/// The same from the rows, one by one.
Names names_by_rows(const ss::Comparison& found, const ss::TableOptions& options) {
  std::vector<std::pair<double, std::string>> ranked;
  for (const ss::ComparisonRow& row : found.rows) {
    if (!options.all && row.verdict == ss::Verdict::equal) continue;
    const bool is_endless = row.metrics->non_finite.infinity_only_a != 0 || !row.metrics->max_ratio;
    ranked.emplace_back(
        is_endless ? std::numeric_limits<double>::infinity() : *row.metrics->max_ratio, row.path);
  }
  if (options.order == ss::RowOrder::worst)
    std::ranges::stable_sort(ranked,
                             [](const auto& x, const auto& y) { return x.first > y.first; });
  Names names;
  for (auto& [rank, name] : ranked)
    if (options.all || names.size() < options.rows) names.push_back(std::move(name));
  return names;
}

}  // namespace

TEST_CASE("a table shows the worst rows, or the first, and counts the others") {
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  for (const std::size_t count : {1U, 30U, 700U}) {
    CAPTURE(count);
    const ss::Comparison found = compare_runs(count, seed);
    REQUIRE(found.rows.size() == count);
    for (const ss::RowOrder order : {ss::RowOrder::worst, ss::RowOrder::call})
      for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{7},
                                     std::size_t{100}, std::numeric_limits<std::size_t>::max()})
        for (const bool all : {false, true}) {
          CAPTURE(rows);
          CAPTURE(all);
          const ss::TableOptions options{.order = order, .rows = rows, .all = all};
          const std::string table = table_of(found, options);
          const Names shown = names_in(table);
          CHECK(shown == names_by_rows(found, options));
          const std::size_t not_equal = names_by_rows(found, {.rows = found.rows.size()}).size();
          const auto says = [&](std::size_t number, const std::string& noun, const char* what) {
            if (number == 0) return table.find(noun) == std::string::npos;
            return table.find(std::to_string(number) + " " + noun + (number == 1 ? "" : "s") +
                              what) != std::string::npos;
          };
          CHECK(says(all ? 0 : count - not_equal, "equal tensor", " not shown\n"));
          if (!all) {
            const std::size_t hidden = not_equal - shown.size();
            const bool is_said = table.find("\n... ") != table.npos || table.starts_with("... ");
            CHECK(is_said == (hidden != 0));
            if (hidden != 0) CHECK(says(hidden, "row", " more\n"));
          }
        }
  }
}

TEST_CASE("statistics whose norm is no number are the worst, wherever they are") {
  constexpr std::size_t count = 6;
  const auto of = [](std::vector<double> numbers) {
    return ss::statistics_value(ss::Tensor::own(std::move(numbers)));
  };
  for (std::size_t place = 0; place < count; ++place) {
    CAPTURE(place);
    const auto run = [&](double sign) {
      std::vector<ss::Value> values;
      for (std::size_t i = 1; i <= count; ++i)
        values.push_back(of({1, sign * static_cast<double>(i)}));
      *values[place].find("l2_norm") = std::numeric_limits<double>::quiet_NaN();
      return ss::Value::list(std::move(values));
    };
    // As a file may say; what is allowed beside it is no number.
    const ss::Comparison found = ss::compare(run(1), run(-1), {.rtol = 0});
    REQUIRE(found.rows.size() == count);
    REQUIRE(found.rows[place].statistics->distance);
    CHECK(std::isnan(found.rows[place].statistics->norm_b));
    for (const std::size_t rows : {1U, 2U, 100U}) {
      CAPTURE(rows);
      const std::string table = table_of(found, {.rows = rows});
      const std::string name = "/" + std::to_string(place) + " ";
      REQUIRE(table.find(name) != std::string::npos);
      for (std::size_t i = 0; i < count; ++i)
        CHECK(table.find(name) <= table.find("/" + std::to_string(i) + " "));
    }
  }
}

TEST_CASE("differences are counted in all rows") {
  const ss::Comparison found = compare_runs(300, 1);
  std::size_t count = 0;
  for (const ss::ComparisonRow& row : found.rows)
    count += std::size_t{ss::is_difference(row.verdict)};
  CHECK(count > 100);
  CHECK(found.differences() == count);
  CHECK(ss::test::error_of([&] { return found.rows.at(found.rows.size()); }) ==
        "out_of_range: a comparison has no row with that index: expected below 300, found 300.");
  CHECK(ss::Comparison().differences() == 0);
  CHECK(table_of({}, {}).find("not equal: nothing was compared") != std::string::npos);
}

TEST_CASE("rows that differ come before all that are close, whichever limit they exceed") {
  // Of many numbers a little off the estimate is beyond the tolerance of one by far, and the one
  // that is proven to differ is not.
  constexpr std::size_t count = 120;
  constexpr std::size_t odd = 60;
  const auto run = [](bool is_a) {
    ss::Value made = ss::Value::dict({});
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<float> numbers(10'000, 1);
      if (is_a && i != odd)
        for (float& number : numbers) number += 8e-6F;
      if (i == odd) numbers[0] = is_a ? 2 + 4e-5F : 2;
      made.insert_or_assign("t" + std::to_string(i),
                            ss::statistics_value(ss::Tensor::own(std::move(numbers))));
    }
    return made;
  };
  const ss::Comparison found = ss::compare(run(true), run(false));
  REQUIRE(found.rows.size() == count);
  REQUIRE(found.differences() == 1);
  REQUIRE(found.rows.at(odd).verdict == ss::Verdict::different);
  REQUIRE(found.rows.at(0).verdict == ss::Verdict::close);
  const std::string table = table_of(found, {.rows = 1});
  CHECK(table.find("  /t" + std::to_string(odd) + " ") != std::string::npos);
}

TEST_CASE(
    "rows whose names are too long to be printed with each are refused before anything is "
    "written") {
  const ss::test::Folder folder;
  const std::string name(1 << 20, 'n');
  for (const char* run : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / run);
    for (int call = 0; call < 70; ++call)
      recorder.record(name, std::vector<float>{*run == 'a' ? 1.0F : 2.0F});
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  REQUIRE(found.rows.size() == 70);
  std::ostringstream text;
  for (const std::string& error :
       {ss::test::error_of_void([&] { found.write_text(text, {.all = true}); }),
        ss::test::error_of_void([&] { found.write_json(text); })})
    CHECK(error.starts_with("limit_exceeded: the paths of a structure take too much memory"));
  CHECK(text.str().empty());
  CHECK(names_in(table_of(found, {.rows = 2})) == Names{name});
}

TEST_CASE(
    "an error against zeros is called not measurable, and one that is not finite is called so") {
  const auto text = [](ss::Keep keep, auto number) {
    const ss::test::Folder folder;
    for (const char* name : {"a", "b"}) {
      ss::ActivationRecorder recorder(folder / name, {.rules = {{.keep = keep}}});
      recorder.record("relu", std::vector{decltype(number){}, *name == 'a' ? number : 0});
      recorder.close();
    }
    return table_of(ss::compare_files(folder / "a", folder / "b"), {});
  };
  for (const ss::Keep keep : {ss::Keep::full, ss::Keep::statistics}) {
    CAPTURE(ss::to_string(keep));
    const std::string zero =
        "makes an error: relu, step 0 call 0: error not measurable, as b is zero; nothing was "
        "recorded before it in its step and thread\n";
    CHECK(text(keep, 0.25F).find(zero) != std::string::npos);
    CHECK(text(keep, 3).find(zero) != std::string::npos);
    CHECK(text(keep, std::numeric_limits<float>::infinity())
              .find("relu, step 0 call 0: error NaN or infinite; ") != std::string::npos);
  }
}

TEST_CASE("a table marks what is an estimate, and not what a hash proves") {
  const auto line = [](std::vector<float> a, ss::Tensor b) {
    const auto value = [](const ss::Tensor& tensor) {
      return ss::Value::dict({{"x", ss::statistics_value(tensor)}});
    };
    const std::string table =
        table_of(ss::compare(value(ss::Tensor::own(std::move(a))), value(b)), {.all = true});
    const std::size_t begin = table.find('\n') + 1;
    return table.substr(begin, table.find('\n', begin) - begin);
  };
  const auto floats = [](std::vector<float> numbers) {
    return ss::Tensor::own(std::move(numbers));
  };
  CHECK(line({3, 4}, floats({3, 4})) ==
        "equal          -        -       0   exact    -       -  /x  by statistics");
  // Of another dtype there is no hash.
  CHECK(line({3, 4}, ss::Tensor::own(std::vector<double>{3, 4})) ==
        "close          -        -      ~0       -    -       -  /x  F32 and F64; by statistics");
  CHECK(line({3, 4.04F}, floats({3, 4})) ==
        "different        -        -  ~8.00e-03   ~41.9    -       -  /x  by statistics: maximum "
        "4.04 and 4");
  CHECK(line({3, 4}, floats({0, 0})) ==
        "different        -        -       -       -    -       -  /x  by statistics: minimum 3 "
        "and 0");
}

TEST_CASE("more suspicions than a screen shows are counted") {
  const auto run = [](float scale) {
    std::vector<ss::Value> values;
    for (int i = 0; i < 13; ++i) {
      std::vector<float> numbers(64);
      for (std::size_t k = 0; k < numbers.size(); ++k)
        numbers[k] = scale * std::sin(static_cast<float>(k + 1) * static_cast<float>(i + 1));
      values.emplace_back(ss::Tensor::own(std::move(numbers)));
    }
    return ss::Value::list(std::move(values));
  };
  const std::string table = table_of(ss::compare(run(2), run(1)), {.rows = 0});
  const std::string last =
      "\nsuspicion: /9: missing scale: a is b times 2, the square root of 4; "
      "100 % of the squared difference\n... 3 suspicions more\ncompared 13 ";
  CHECK(table.find(last) != std::string::npos);
}

TEST_CASE("if only infinities differ, nothing is called exact") {
  const auto snr = [](float number) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto numbers = [](float last) {
      return ss::Value(ss::Tensor::own(std::vector<float>{1, infinity, last}));
    };
    const std::string table =
        table_of(ss::compare(numbers(number), numbers(infinity)), {.all = true});
    std::istringstream line(table.substr(table.find('\n') + 1));
    std::string cell;
    for (int column = 0; column < 5; ++column) line >> cell;
    return cell;
  };
  CHECK(snr(std::numeric_limits<float>::infinity()) == "exact");
  CHECK(snr(-std::numeric_limits<float>::infinity()) == "-");
  CHECK(snr(2) == "-");
}
