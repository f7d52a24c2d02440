/// \file
/// What every source of bytes promises: a file, and bytes in memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/source.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using ss::Source;
using ss::test::error_of;
using ss::test::error_of_void;

namespace {

constexpr std::string_view content = "0123456789";

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Named {
  std::shared_ptr<const Source> source;
  std::string name;  ///< What its errors begin with.
};

/// The content as a source of each kind.
std::vector<Named> sources(const ss::test::Folder& folder) {
  const std::filesystem::path path = folder / "ten";
  std::ofstream(path) << content;
  return {{Source::open(path), path.string() + ": "},
          {Source::of(std::as_bytes(std::span(content)), nullptr), ""}};
}

}  // namespace

TEST_CASE("a source gives the bytes of any range inside it") {
  const ss::test::Folder folder;
  for (const Named& one : sources(folder)) {
    const Source& source = *one.source;
    CAPTURE(one.name);
    CHECK(source.size() == 10);
    std::array<std::byte, 4> some{};
    source.read(6, some);
    CHECK(text_of(some) == "6789");
    CHECK(text_of(source.view(2, 3).bytes) == "234");
    CHECK(text_of(source.view(0, 10).bytes) == content);
    CHECK(source.view(10, 0).bytes.empty());
    source.read(10, {});
  }
}

TEST_CASE("a range that does not lie inside a source is an error, whatever the numbers") {
  constexpr std::uint64_t largest = UINT64_MAX;
  const std::pair<std::uint64_t, std::string> cases[] = {
      {6, "found 4 (byte 6)."},
      {11, "found 0 (byte 11)."},
      {largest - 3, "found 0 (byte 18446744073709551612)."},
      {largest, "found 0 (byte 18446744073709551615)."}};
  const ss::test::Folder folder;
  for (const Named& one : sources(folder)) {
    const Source& source = *one.source;
    std::array<std::byte, 5> some{};
    for (const auto& range : cases) {
      const std::uint64_t offset = range.first;
      const std::string& found = range.second;
      CAPTURE(offset);
      const std::string problem =
          "truncated: " + one.name + "the input ends too early: expected 5 bytes, " + found;
      CHECK(error_of([&] { return source.view(offset, 5); }) == problem);
      const std::string of_reading = error_of_void([&] { source.read(offset, some); });
      CHECK(of_reading.starts_with("truncated: " + one.name));
      CHECK(of_reading.find(found.substr(0, found.size() - 1)) != std::string::npos);
    }
  }
}

TEST_CASE("only a file has others next to it") {
  const ss::test::Folder folder;
  std::ofstream(folder / "other") << "x";
  const auto both = sources(folder);
  CHECK(text_of(both[0].source->sibling("other")->view(0, 1).bytes) == "x");
  CHECK(error_of([&] { return both[0].source->sibling("none"); }) ==
        "cannot_open: " + (folder / "none").string() +
            ": cannot open the file: No such file or directory. Check the path; relative paths "
            "start at the current folder.");
  CHECK(error_of([&] { return both[1].source->sibling("other"); }) ==
        "cannot_open: this input has no other file next to it: expected a file named other.");
}
