/// \file
/// A path is a JSON Pointer.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <safestructures/data/path.hpp>
#include "support/errors.hpp"

namespace ss = safestructures;
using ss::test::error_of;

TEST_CASE("a path is read and written as RFC 6901 says") {
  struct Case {
    std::string text;
    std::vector<std::string> steps;
    std::string written;
  };
  const std::vector<Case> cases = {
      {"", {}, "/"},
      {"/", {}, "/"},
      {"/a", {"a"}, "/a"},
      {"a", {"a"}, "/a"},
      {"a/b", {"a", "b"}, "/a/b"},
      {"/a~1b/m~0n", {"a/b", "m~n"}, "/a~1b/m~0n"},
      {"/~01", {"~1"}, "/~01"},
      {"/a//b", {"a", "", "b"}, "/a//b"},
      {"//", {"", ""}, "//"},
      {"/a/", {"a", ""}, "/a/"},
      {"/ /%41/é", {" ", "%41", "é"}, "/ /%41/é"},
      {"/a.b", {"a.b"}, "/a.b"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    const ss::Path path = ss::Path::parse(one.text);
    CHECK(path.steps() == one.steps);
    CHECK(path.to_string() == one.written);
    CHECK(ss::Path::parse(path.to_string()) == path);
  }
}

TEST_CASE("a tilde must be escaped") {
  for (const std::string text : {"/~", "/a~", "/~2", "/~/0", "~a"}) {
    CAPTURE(text);
    CHECK(error_of([&] { return ss::Path::parse(text); }) ==
          "invalid_argument: a path has '~' without 0 or 1 after it: found '" + text +
              "'. Write ~0 for '~' and ~1 for '/' inside a step.");
  }
}

TEST_CASE("a path has at most as many steps as values nest") {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "/a";
  CHECK(ss::Path::parse(text).steps().size() == 500);
  CHECK(error_of([&] { return ss::Path::parse(text + "/a"); }) ==
        "limit_exceeded: a path has too many steps: expected at most 500 levels (Limits::depth).");
}

TEST_CASE("a trace is written as its path") {
  const ss::Trace root{nullptr, "a/b"};
  const ss::Trace item{&root, {}, 3};
  const ss::Trace leaf{&item, "~"};
  CHECK(ss::to_string(static_cast<const ss::Trace*>(nullptr)) == "/");
  CHECK(ss::to_string(&leaf) == "/a~1b/3/~0");
}

TEST_CASE("a path grows and shrinks by steps") {
  ss::Path path;
  path.push_back("a");
  path.push_back("1");
  CHECK(path.to_string() == "/a/1");
  path.pop_back();
  CHECK(path == ss::Path::parse("/a"));
}
