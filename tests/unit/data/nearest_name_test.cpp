/// \file
/// Names in error messages: which one is suggested, and how many are listed.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "data/text/nearest_name.hpp"

namespace {

using Names = std::vector<std::string_view>;

/// The suggestion, or "nothing".
std::string nearest(std::string_view name, const Names& candidates) {
  return std::string(safestructures::detail::nearest_name(name, candidates).value_or("nothing"));
}

}  // namespace

TEST_CASE("one slip in a short name, one in three letters of a long one, is a misspelling") {
  CHECK(nearest("x", {"xy"}) == "xy");
  CHECK(nearest("xy", {"yx"}) == "yx");
  CHECK(nearest("xyz", {"xaz"}) == "xaz");
  CHECK(nearest("xyz", {"xab"}) == "nothing");
  CHECK(nearest("weight", {"waigth"}) == "waigth");
  CHECK(nearest("weight", {"waighxx"}) == "nothing");
  CHECK(nearest("weight", {"weigh"}) == "weigh");
  CHECK(nearest("weight", {"weights"}) == "weights");
  CHECK(nearest("", {"y"}) == "nothing");
  CHECK(nearest("x", {}) == "nothing");
}

TEST_CASE("a name of which no letter is right is not suggested") {
  CHECK(nearest("x", {"y"}) == "nothing");
  CHECK(nearest("x", {""}) == "nothing");
  CHECK(nearest("x", {"y", "yx"}) == "yx");
}

TEST_CASE("letters that changed places are one slip, wherever they are") {
  CHECK(nearest("abc", {"bac"}) == "bac");
  CHECK(nearest("abc", {"acb"}) == "acb");
  CHECK(nearest("abc", {"cba"}) == "nothing");
}

TEST_CASE("the nearest name is suggested, of equally near ones the first") {
  CHECK(nearest("weight", {"weigxx", "weighx", "weighy"}) == "weighx");
}

TEST_CASE("names of up to 64 bytes are compared, and a thousand of them") {
  const std::string longest(64, 'a');
  const std::string longer(65, 'a');
  CHECK(nearest(longest, {longest}) == longest);
  CHECK(nearest(longest, {longer}) == "nothing");
  CHECK(nearest(longer, {longest}) == "nothing");
  CHECK(nearest(longer, {longer}) == "nothing");
  Names many(999, "another");
  many.insert(many.end(), {"weighs", "weight"});
  CHECK(nearest("weight", many) == "weighs");
}

TEST_CASE("twelve names are listed, each by its first 64 bytes") {
  const auto list = [](const Names& names) { return safestructures::detail::list_names(names); };
  CHECK(list({}) == "");
  CHECK(list({"a", "b"}) == "'a', 'b'");
  const std::string longest(64, 'a');
  CHECK(list({longest}) == "'" + longest + "'");
  CHECK(list({longest + "a"}) == "'" + longest + "...'");
  const std::string twelve = "'n', 'n', 'n', 'n', 'n', 'n', 'n', 'n', 'n', 'n', 'n', 'n'";
  CHECK(list(Names(12, "n")) == twelve);
  CHECK(list(Names(14, "n")) == twelve + " and 2 more");
}
