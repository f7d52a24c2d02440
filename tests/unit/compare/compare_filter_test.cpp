/// \file
/// What is left out of a comparison, and that it is counted.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>

#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using Layers = std::vector<std::vector<float>>;
using Dict = std::map<std::string, Layers>;

ss::Value value_of(const Dict& dict) {
  ss::Value value = ss::Value::dict({});
  for (const auto& [name, layers] : dict) {
    ss::Value list = ss::Value::list({});
    for (const std::vector<float>& layer : layers)
      list.push_back(ss::Tensor::own(std::vector(layer)));
    value.insert_or_assign(name, std::move(list));
  }
  return value;
}

struct Rows {
  std::vector<std::string> different;  ///< Verdict and path.
  std::uint64_t filtered = 0;
};

Rows rows_of(const ss::Comparison& found) {
  Rows rows{.different = {}, .filtered = found.coverage.filtered};
  for (const ss::ComparisonRow& row : found.rows)
    if (ss::is_difference(row.verdict))
      rows.different.push_back(std::string(to_string(row.verdict)) + " " + row.path);
  return rows;
}

struct Case {
  const char* name;
  Dict a;
  Dict b;
  ss::CompareOptions options;
  std::vector<std::string> different;
  std::uint64_t filtered;
};

void record(const std::filesystem::path& folder, float value, bool has_more) {
  ss::ActivationRecorder recorder(folder);
  for (std::int64_t step = 0; step < 3; ++step) {
    recorder.step(step);
    recorder.record("embed", std::vector<float>{1, 2});
    if (has_more) recorder.record("embed.dropout", std::vector<float>{3});
    recorder.record("noise", std::vector<float>{value});
    recorder.record("pair", std::tuple(std::vector<float>{value}, std::vector<float>{5}));
  }
  recorder.close();
}

}  // namespace

TEST_CASE("matching values are left out and counted, and containers may differ by them") {
  const Dict model = {{"x", {{1}, {2}}}, {"y", {{3}}}};
  const Dict longer = {{"x", {{1}, {2}, {9}}}, {"y", {{3}}}, {"z", {{4}, {5}}}};
  const Dict escaped = {{"x", {{1}, {2}}}, {"y", {{3}}}, {"a/b", {}}};
  const Case cases[] = {
      {"nothing",
       model,
       longer,
       {},
       {"size /", "size /x", "only in b /x/2", "only in b /z/0", "only in b /z/1"},
       0},
      {"a member of a list",
       model,
       longer,
       {.ignore = {"/x/2"}},
       {"size /", "only in b /z/0", "only in b /z/1"},
       1},
      {"a member of a dict alone",
       model,
       longer,
       {.ignore = {"/z"}},
       {"size /x", "only in b /x/2", "only in b /z/0", "only in b /z/1"},
       0},
      {"it and what it holds", model, longer, {.ignore = {"/z*", "/x/2"}}, {}, 3},
      {"the other way round", longer, model, {.ignore = {"/z*", "/x/2"}}, {}, 3},
      {"as many on both sides",
       model,
       longer,
       {.ignore = {"/x/1", "/z*"}},
       {"size /x", "only in b /x/2"},
       3},
      {"more than is asked for", model, longer, {.only = {"/x*"}, .ignore = {"/x/2"}}, {}, 4},
      {"a name with a slash", model, escaped, {.ignore = {"/a~1b"}}, {}, 1},
      {"the root",
       model,
       longer,
       {.ignore = {"/"}},
       {"size /x", "only in b /x/2", "only in b /z/0", "only in b /z/1"},
       0},
      {"all", model, longer, {.ignore = {"*"}}, {}, 6},
      {"what has another name",
       {{"q", {{1}}}},
       {{"k", {{2}}}},
       {.renames = {{"/q*", "/k*"}}, .ignore = {"/k*"}},
       {},
       1},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const ss::Comparison found = ss::compare(value_of(one.a), value_of(one.b), one.options);
    const Rows rows = rows_of(found);
    CHECK(rows.different == one.different);
    CHECK(rows.filtered == one.filtered);
  }
}

TEST_CASE("a member whose key is a tuple counts once") {
  const ss::Value a = value_of({{"x", {{1}}}});
  ss::Value b = a;
  b.insert_or_assign(ss::Value::tuple({1, 2}), 3);
  CHECK(rows_of(ss::compare(a, b)).different.front() == "size /");
  CHECK(rows_of(ss::compare(a, b, {.ignore = {"/[!x]*"}})).different.empty());
}

TEST_CASE("a comparison of which all was ignored is not equal") {
  const Dict model = {{"x", {{1}}}};
  CHECK_FALSE(ss::compare(value_of(model), value_of(model), {.ignore = {"*"}}).is_equal());
}

TEST_CASE("records are left out by their names, small ones and structures") {
  const ss::test::Folder folder;
  record(folder / "a", 1, true);
  record(folder / "b", 2, false);
  const auto compared = [&](std::vector<std::string> ignore) {
    return ss::compare_files(folder / "a", folder / "b", {.ignore = std::move(ignore)});
  };
  CHECK(compared({}).differences() == 9);
  const ss::Comparison rest = compared({"*.dropout", "noise", "pair/0"});
  CHECK(rest.is_equal());
  CHECK(rest.coverage.filtered == 9);
  CHECK(rest.coverage.tensors == 6);
  CHECK(compared({"pair*", "noise"}).coverage.only_a == 3);
}

TEST_CASE("a glob or a tolerance without effect is reported, also if another one decided first") {
  const Dict model = {{"x", {{1}, {2}}}, {"y", {{3}}}};
  struct Useless {
    const char* name;
    ss::CompareOptions options;
    std::vector<std::string> notes;
  };
  const Useless cases[] = {
      {"all of use", {.tolerances = {{"/x*", {1, 1}}, {"*", {0, 0}}}, .only = {"*"}}, {}},
      {"one glob of several",
       {.only = {"/x*", "/z*"}, .ignore = {"/y*", "/x"}},
       {"only: the glob /z* matched nothing",
        "ignore: the glob /x matched nothing but containers: /x/* matches their members"}},
      {"the root alone",
       {.only = {"/"}},
       {"only: the glob / matched nothing but containers: /* matches their members"}},
      {"what holds others, and those", {.only = {"/x/*", "/x"}}, {}},
      {"what holds others, and one of those", {.only = {"/x*"}, .ignore = {"/[xy]*"}}, {}},
      {"to be ignored", {.ignore = {"/x/0", "/X/1"}}, {"ignore: the glob /X/1 matched nothing"}},
      {"matches that two have", {.only = {"/x*", "/x/1"}, .ignore = {"/x/1", "/x/[1-9]"}}, {}},
      {"a tolerance that stands behind another, and those of nothing",
       {.tolerances =
            {{"/x*", {0, 0}}, {"/x/1", {1, 1}}, {"*", {1, 1}, ss::DType::F16}, {"z", {1, 1}}}},
       {"the tolerance of /x/1 had no effect", "the tolerance of * for F16 had no effect",
        "the tolerance of z had no effect"}},
      {"the filter leaves it nothing",
       {.tolerances = {{"/y*", {0, 0}}}, .only = {"/x*"}},
       {"the tolerance of /y* had no effect"}},
  };
  for (const Useless& one : cases) {
    CAPTURE(one.name);
    CHECK(ss::compare(value_of(model), value_of(model), one.options).notes == one.notes);
  }
}

TEST_CASE("a glob or a tolerance without effect is reported for recordings, too") {
  const ss::test::Folder folder;
  record(folder / "a", 1, true);
  record(folder / "b", 2, false);
  const auto notes = [&](const ss::CompareOptions& options) {
    return ss::compare_files(folder / "a", folder / "b", options).notes;
  };
  CHECK(notes({.tolerances = {{"noise", {1, 1}}, {"pair/0", {1, 1}}, {"embed", {1, 1}}},
               .only = {"embed*", "pair*", "noise"},
               .ignore = {"*.dropout", "pair/1"}})
            .empty());
  CHECK(notes({.only = {"embed*"}, .ignore = {"pair", "embed.dropout"}}) ==
        std::vector<std::string>{
            "ignore: the glob pair matched nothing but containers: pair/* matches their members"});
  CHECK(notes({.tolerances = {{"pair", {1, 1}}}, .only = {"*", "embed.x"}, .ignore = {"none*"}}) ==
        std::vector<std::string>{"only: the glob embed.x matched nothing",
                                 "ignore: the glob none* matched nothing",
                                 "the tolerance of pair had no effect"});
}

TEST_CASE("parts of a record that are asked for are missed where the record is missing") {
  const ss::test::Folder folder;
  using Parts = std::map<std::string, std::vector<float>>;
  const auto run = [&](const char* name, bool has_all) {
    ss::RecorderOptions options;
    if (!has_all)
      options.rules = {{.names = "big", .keep = ss::Keep::slice, .slices = ss::parse_slices(":2")},
                       {}};
    ss::ActivationRecorder recorder(folder / name, options);
    recorder.record("layer", Parts{{"bias", {1}}, {"weight", {2, 3}}});
    if (has_all) recorder.record("layer", Parts{{"bias", {1}}, {"weight", {2, 3}}});
    if (has_all) recorder.record("head", Parts{{"weight", {4}}});
    recorder.record("big", Parts{{"weight", {1, 2, 3, 4}}});
    recorder.close();
  };
  run("a", true);
  run("b", false);
  const auto compared = [&](ss::CompareOptions options) {
    return rows_of(ss::compare_files(folder / "a", folder / "b", options));
  };
  using Texts = std::vector<std::string>;
  CHECK(compared({}).different == Texts{"only in a layer", "only in a head", "kind big"});
  const Rows weights = compared({.only = {"*/weight"}});
  CHECK(weights.different == Texts{"only in a layer/weight", "only in a head/weight", "kind big"});
  CHECK(compared({.only = {"layer/*"}}).different ==
        Texts{"only in a layer/bias", "only in a layer/weight"});
  CHECK(compared({.only = {"head", "*/bias"}}).different ==
        Texts{"only in a layer/bias", "only in a head"});
  CHECK(compared({.ignore = {"*/weight"}}).different == Texts{"only in a layer"});
  CHECK(compared({.ignore = {"*/weight", "*/bias"}}).different.empty());
  CHECK(compared({.only = {"other"}}).different.empty());
}

TEST_CASE("slices of records are told of where parts of them are asked for") {
  const ss::test::Folder folder;
  for (const char* name : {"a", "b"}) {
    ss::RecorderOptions options;
    options.rules = {{.keep = ss::Keep::slice, .slices = ss::parse_slices(":2")}};
    ss::ActivationRecorder recorder(folder / name, options);
    recorder.record("big", std::map<std::string, std::vector<float>>{{"weight", {1, 2, 3, 4}}});
    recorder.close();
  }
  const auto says_so = [&](ss::CompareOptions options) {
    for (const std::string& note : ss::compare_files(folder / "a", folder / "b", options).notes)
      if (note.starts_with("records of which both recordings kept a slice")) return true;
    return false;
  };
  CHECK(says_so({}));
  CHECK(says_so({.only = {"*/weight"}}));
  CHECK(!says_so({.only = {"*/bias"}}));
}

TEST_CASE("a value that holds nothing does not count as compared") {
  CHECK(!ss::compare(ss::Value::dict({}), ss::Value::dict({})).is_equal());
  CHECK(!ss::compare(ss::Value::list({ss::Value::list({})}), ss::Value::list({ss::Value::list({})}))
             .is_equal());
  CHECK(ss::compare(ss::Value::list({ss::Value::list({}), 1}),
                    ss::Value::list({ss::Value::list({}), 1}))
            .is_equal());
}
