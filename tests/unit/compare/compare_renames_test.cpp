/// \file
/// Rules for other names are kept in a text, and come back from it.
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/compare/renames.hpp>
#include <safestructures/recording/recorder.hpp>

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

TEST_CASE("a line that is no rule is named") {
  CHECK(ss::test::error_of_void(
            [] { static_cast<void>(ss::parse_renames("a=b\n\nlayer0 layer1\n", "names.txt")); }) ==
        "invalid_argument: names.txt: at line 3: a line is no rule for names: expected A=B, a "
        "comment that begins with #, or nothing, found layer0 layer1.");
  CHECK(ss::test::error_of_void([] {
          static_cast<void>(ss::parse_renames(std::string(1, '\0') + std::string(80, 'x'), "any"));
        }) ==
        "invalid_argument: any: at line 1: a line is no rule for names: expected A=B, a comment "
        "that begins with #, or nothing, found \\x00" +
            std::string(79, 'x') + "....");
}

TEST_CASE("what no line can say is a comment, and everything else comes back") {
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
