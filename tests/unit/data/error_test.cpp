// The text of an Error.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>

namespace safestructures {
namespace {

Error at(const std::string& path) { return {ErrorCode::not_found, "none", {.path = path}}; }

std::string text_at(const std::string& path) { return at(path).what(); }

std::string repeated(const std::string& character, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += character;
  return text;
}

TEST_CASE("a long path is shortened in the text of an error, and whole in its details") {
  const std::string longest = "/" + repeated("k", 399);
  CHECK(text_at(longest) == "at " + longest + ": none.");
  const std::string path = "/" + repeated("k", 20'000'000);
  const std::string shown = "/" + repeated("k", 199) + "..." + repeated("k", 200);
  CHECK(text_at(path) == "at " + shown + ": none.");
  CHECK(at(path).details().path == path);
  CHECK(std::string(at(path).with_file("f").what()) == "f: at " + shown + ": none.");
}

TEST_CASE("another part is shortened where it is longer than a list of names") {
  const auto text = [](const std::string& problem, ErrorDetails details) {
    return std::string(Error(ErrorCode::not_found, problem, std::move(details)).what());
  };
  const std::string longest = repeated("k", 1000);
  const std::string name = repeated("k", 1'000'000);
  const std::string shown = repeated("k", 500) + "..." + repeated("k", 500);
  for (const auto& [given, said] :
       std::vector<std::pair<std::string, std::string>>{{longest, longest}, {name, shown}}) {
    CHECK(text(given, {}) == said + ".");
    CHECK(text("none", {.file = given}) == said + ": none.");
    CHECK(text("none", {.expected = given}) == "none: expected " + said + ".");
    CHECK(text("none", {.found = given}) == "none: found " + said + ".");
    CHECK(text("none", {.advice = given}) == "none. " + said + ".");
  }
  const Error whole(ErrorCode::not_found, name, {.found = name});
  CHECK(whole.problem() == name);
  CHECK(whole.details().found == name);
}

TEST_CASE("a path is shortened between characters") {
  const std::string accented = "\xc3\xa9";
  CHECK(text_at("/" + repeated(accented, 300)) ==
        "at /" + repeated(accented, 99) + "..." + repeated(accented, 100) + ": none.");
  // What is no text has no characters to keep whole.
  CHECK(text_at(repeated("\x80", 500)).size() < 420);
}

TEST_CASE("a zero in a name does not end the text of an error") {
  const std::string name("a\0b\0", 4);
  const Error error(ErrorCode::not_found, "no " + name,
                    {.file = name,
                     .path = "/" + name,
                     .expected = name,
                     .found = name,
                     .advice = "Rename " + name});
  CHECK(std::string(error.what()) ==
        R"(a\x00b\x00: at /a\x00b\x00: no a\x00b\x00: expected a\x00b\x00, found a\x00b\x00. )"
        R"(Rename a\x00b\x00.)");
  CHECK(error.problem() == "no " + name);
  CHECK(error.details().path == "/" + name);
  CHECK(text_at(std::string(500, '\0')).ends_with(R"(\x00\x00: none.)"));
}

}  // namespace
}  // namespace safestructures
