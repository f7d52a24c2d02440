/// \file
/// Rules for other names are kept in a text, and come back from it.
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/compare/renames.hpp>
#include <safestructures/recording/recorder.hpp>

#include "compare/pairing/rename.hpp"
#include "support/cost.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;

std::vector<std::string> lines_of(const std::vector<ss::RenameRule>& rules) {
  std::vector<std::string> lines;
  for (const ss::RenameRule& rule : rules) lines.push_back(rule.from + " -> " + rule.to);
  return lines;
}

}  // namespace

TEST_CASE("rules are read line by line, and comments say nothing") {
  const auto rules = ss::parse_renames("# by hand\na=b\r\n\nlayers.*.w=model.*.weight\n/a/b=/c=d");
  CHECK(lines_of(rules) ==
        std::vector<std::string>{"a -> b", "layers.*.w -> model.*.weight", "/a/b -> /c=d"});
  CHECK(ss::parse_renames("").empty());
}

TEST_CASE("a line that is not a rule is reported with its number") {
  CHECK(ss::test::error_of_void(
            [] { static_cast<void>(ss::parse_renames("a=b\n\nlayer0 layer1\n", "names.txt")); }) ==
        "invalid_argument: names.txt: at line 3: a line is not a rename rule: expected A=B, a "
        "comment that begins with #, or nothing, found layer0 layer1.");
  CHECK(ss::test::error_of_void([] {
          static_cast<void>(ss::parse_renames(std::string(1, '\0') + std::string(80, 'x'), "any"));
        }) ==
        "invalid_argument: any: at line 1: a line is not a rename rule: expected A=B, a comment "
        "that begins with #, or nothing, found \\x00" +
            std::string(79, 'x') + "....");
}

TEST_CASE("a rename that no line can express is a comment, all others come back") {
  const std::vector<ss::RenameRule> given = {
      {"a.*", "b.*"}, {"#q", "query"}, {"x=y", "z"}, {"v", "w\n"}};
  const std::vector<ss::RenameSuggestion> suggested = {
      {"c", "d=e", "same\nnumbers"}, {"f=g", "h", "same place"},     {"#i", "j", "same place"},
      {"k*", "l", "same place"},     {"m\nn=o", "p", "same place"},  {"/q", "r", "same place"},
      {"s", "", "same place"},       {"t\x1b[2J", "u", "same place"}};
  const std::string text = ss::format_renames(given, suggested);
  CHECK(text ==
        "a.*=b.*\n"
        "# no rule can say: #q=query\n"
        "# no rule can say: x=y=z\n"
        "# no rule can say: v=w\\n\n"
        "# same\\nnumbers\nc=d=e\n"
        "# same place\n# no rule can say: f=g=h\n"
        "# same place\n# no rule can say: #i=j\n"
        "# same place\n# no rule can say: k*=l\n"
        "# same place\n# no rule can say: m\\nn=o=p\n"
        "# same place\n# no rule can say: /q=r\n"
        "# same place\n# no rule can say: s=\n"
        "# same place\n# no rule can say: t\\x1b[2J=u\n");
  CHECK(lines_of(ss::parse_renames(text)) == std::vector<std::string>{"a.* -> b.*", "c -> d=e"});
}

TEST_CASE("of the rules that match a name the first is taken, patterns or not") {
  struct Case {
    std::vector<ss::RenameRule> rules;
    std::string name;
    std::string expected;
  };
  for (const Case& one : std::vector<Case>{
           {{{"a", "1"}, {"*", "2*"}}, "a", "1"},
           {{{"*", "2*"}, {"a", "1"}}, "a", "2a"},
           {{{"b*", "3*"}, {"a", "1"}, {"*", "2*"}}, "a", "1"},
           {{{"a", "1"}, {"a", "4"}}, "a", "1"},
           {{{"a", "1"}, {"*", "2*"}}, "b", "2b"},
           {{{"a", "1"}}, "b", "none"},
           {{{"/a", "/1"}}, "/a", "none"},
           {{{"/a", "/1"}, {"*a", "2*"}}, "/a", "2/"},
           {{{"l.*.x.*.w", "m.*.y.*"}}, "l.1.x.2.w", "m.1.y.2"},
           {{{"l.*.x.*.w", "m.*.y.*"}}, "l.1.y.2.w", "none"},
           {{{"l.*.x.*.w", "m.*.y.*"}}, "l.1.x.w", "none"},
           {{{"*.*.*", "*-*-*"}}, "a.b.c.d", "a-b-c.d"},
           {{{"*b*b", "*-*"}}, "ab", "none"},
       }) {
    ss::comparing::Renames renames(one.rules);
    const auto renamed = renames.name(one.name);
    CHECK((renamed ? renamed->text() : "none") == one.expected);
  }
}

TEST_CASE("a rule for each of many names is found in time in proportion") {
  const auto look = [](std::size_t n) {
    std::vector<ss::RenameRule> rules;
    for (std::size_t i = 0; i < n; ++i)
      rules.push_back({"name" + std::to_string(i), "other" + std::to_string(i)});
    ss::comparing::Renames renames(rules);
    for (const ss::RenameRule& rule : rules) CHECK(renames.name(rule.from)->text() == rule.to);
  };
  ss::test::check_linear("rules", look, 500);
}

TEST_CASE("a tensor without a name is renamed, and not the root whose path it has") {
  const auto file = [](const std::string& name) {
    return ss::Value::dict({{name, ss::Tensor::own(std::vector<float>{1, 2})}});
  };
  const ss::Comparison found = ss::compare(file(""), file("x"));
  REQUIRE(found.suggestions.size() == 1);
  const auto rules = ss::parse_renames(ss::format_renames({}, found.suggestions));
  REQUIRE(lines_of(rules) == std::vector<std::string>{"/ -> /x"});
  const ss::Comparison renamed = ss::compare(file(""), file("x"), {.renames = rules});
  CHECK(renamed.is_equal());
  CHECK(renamed.notes.empty());
}

TEST_CASE("of two rules for one name of a recording the second pairs nothing") {
  const ss::test::Folder folder;
  for (const std::string run : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / run);
    for (const std::string name : {"x", "y"})
      recorder.record(run == "a" ? name : "z" + name, std::vector<float>{1});
    recorder.close();
  }
  const auto notes = [&](std::vector<ss::RenameRule> rules) {
    return ss::compare_files(folder / "a", folder / "b", {.renames = std::move(rules)}).notes;
  };
  CHECK(notes({{"x", "zx"}, {"y", "zy"}}).empty());
  CHECK(notes({{"x", "zx"}, {"y", "zx"}}) ==
        std::vector<std::string>{"the rename y=zx paired nothing"});
  CHECK(notes({{"x", "zx"}, {"y", "none"}}) ==
        std::vector<std::string>{"the rename y=none paired nothing"});
}

TEST_CASE("runs whose names were suggested are compared by what was kept of it") {
  const ss::test::Folder folder;
  for (const std::string prefix : {"enc.", "encoder."}) {
    ss::ActivationRecorder recorder(folder / prefix);
    for (int layer = 0; layer < 3; ++layer)
      recorder.record(prefix + std::to_string(layer),
                      std::vector<float>(5, static_cast<float>(layer)));
    recorder.close();
  }
  const ss::Comparison first = ss::compare_files(folder / "enc.", folder / "encoder.");
  CHECK(!first.is_equal());
  REQUIRE(first.suggestions.size() == 3);
  const auto rules = ss::parse_renames(ss::format_renames({}, first.suggestions));
  CHECK(ss::compare_files(folder / "enc.", folder / "encoder.", {.renames = rules}).is_equal());
}

TEST_CASE("a value paired by one rule is not paired again by another") {
  const auto tensor = [](float number) { return ss::Tensor::own(std::vector<float>{number, 1}); };
  const ss::Value a =
      ss::Value::dict({{"m", ss::Value::dict({{"q", tensor(2)}, {"k", tensor(2)}})}});
  const ss::Value b =
      ss::Value::dict({{"m", ss::Value::dict({{"query", tensor(2)}, {"z", tensor(3)}})}});
  const ss::Comparison found = ss::compare(
      a, b, {.renames = {{"/m/q", "/m/query"}, {"m.k", "m.query"}}, .ignore = {"/m/z"}});
  CHECK(found.coverage.only_a == 1);
  CHECK(!found.is_equal());
  CHECK(found.notes == std::vector<std::string>{"the rename m.k=m.query paired nothing"});
}

TEST_CASE("a record takes the name that a rule gives it, before the one that has it") {
  const ss::test::Folder folder;
  for (const char* run : {"a", "b"}) {
    const bool is_a = std::string(run) == "a";
    ss::ActivationRecorder recorder(folder / run);
    recorder.record(is_a ? "new" : "old", std::vector<float>{1, 2});
    if (is_a) recorder.record("old", std::vector<float>{3, 4});
    recorder.close();
  }
  {
    ss::ActivationRecorder recorder(folder / "reversed");
    recorder.record("old", std::vector<float>{3, 4});
    recorder.record("new", std::vector<float>{1, 2});
    recorder.close();
  }
  for (const char* run : {"a", "reversed"}) {
    const ss::Comparison found =
        ss::compare_files(folder / run, folder / "b", {.renames = {{"new", "old"}}});
    CHECK(found.coverage.only_a == 1);
    CHECK(found.coverage.tensors == 1);
    CHECK(found.differences() == 1);
  }
}

TEST_CASE("a suggestion for a record whose name looks like a path is a rule that works") {
  const ss::test::Folder folder;
  for (const char* name : {"/x", "/y"}) {
    ss::ActivationRecorder recorder(folder / (std::string("run-") + (name + 1)));
    recorder.record(name, std::vector<float>{1, 2});
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "run-x", folder / "run-y");
  REQUIRE(found.suggestions.size() == 1);
  const auto rules = ss::parse_renames(ss::format_renames({}, found.suggestions));
  REQUIRE(rules.size() == 1);
  const ss::Comparison again =
      ss::compare_files(folder / "run-x", folder / "run-y", {.renames = rules});
  CHECK(again.is_equal());
  CHECK(again.notes.empty());
  CHECK(ss::compare_files(folder / "run-x", folder / "run-y", {.renames = {{"*x", "*y"}}})
            .is_equal());
}

TEST_CASE("tensors of which other numbers are not finite are not suggested for their statistics") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto reason = [](std::vector<float> one, std::vector<float> other) {
    const ss::Comparison found =
        ss::compare(ss::Value::dict({{"x", ss::Tensor::own(std::move(one))}}),
                    ss::Value::dict({{"y", ss::Tensor::own(std::move(other))}}));
    REQUIRE(found.suggestions.size() == 1);
    return found.suggestions.front().reason;
  };
  CHECK(reason({1, 2, 3}, {1, 2, 3}) == "same statistics");
  CHECK(reason({nan, nan, nan}, {0, 0, 0}) == "the only ones left of their shape");
  CHECK(reason({1, infinity, 3}, {1, nan, 3}) == "the only ones left of their shape");
  CHECK(reason({1, nan, 3}, {1, nan, 3}) == "same statistics");
}

TEST_CASE("of several tensors with the same statistics none is suggested for fewer others") {
  const auto filled = [](const std::vector<std::pair<std::string, float>>& tensors) {
    ss::Value made = ss::Value::dict();
    for (const auto& [name, number] : tensors)
      made.insert(name, ss::Tensor::own(std::vector<float>(8, number)));
    return made;
  };
  const auto suggested = [&](const std::vector<std::pair<std::string, float>>& a,
                             const std::vector<std::pair<std::string, float>>& b) {
    std::vector<std::string> texts;
    for (const ss::RenameSuggestion& one : ss::compare(filled(a), filled(b)).suggestions)
      texts.push_back(one.from + " " + one.to + " " + one.reason);
    return texts;
  };
  using Texts = std::vector<std::string>;
  // New weights and biases of norms.
  CHECK(suggested({{"w", 1}, {"b", 0}}, {{"v1", 1}, {"v2", 1}, {"v3", 1}, {"c", 0}}) ==
        Texts{"/b /c same statistics"});
  CHECK(suggested({{"v1", 1}, {"v2", 1}, {"v3", 1}, {"c", 0}}, {{"w", 1}, {"b", 0}}) ==
        Texts{"/c /b same statistics"});
  CHECK(suggested({{"w1", 1}, {"w2", 1}}, {{"v1", 1}, {"v2", 1}}) ==
        Texts{"/w1 /v1 same statistics", "/w2 /v2 same statistics"});
  CHECK(suggested({{"w", 1}, {"x", 5}}, {{"v1", 1}, {"v2", 1}}) ==
        Texts{"/w /v1 same shape and place", "/x /v2 same shape and place"});
  CHECK(suggested({{"w", 1}, {"x", 5}}, {{"v1", 5.01F}, {"v2", 1.005F}}) ==
        Texts{"/w /v2 like statistics", "/x /v1 like statistics"});
  // Of more than 512, none are computed.
  for (const int count : {512, 513}) {
    std::vector<std::pair<std::string, float>> a, b;
    for (int i = 0; i < count; ++i) {
      a.emplace_back("a" + std::to_string(i), i);
      b.emplace_back("b" + std::to_string(i), count - 1 - i);
    }
    CHECK(suggested(a, b).front() ==
          (count == 512 ? "/a0 /b511 same statistics" : "/a0 /b0 same shape and place"));
  }
}
