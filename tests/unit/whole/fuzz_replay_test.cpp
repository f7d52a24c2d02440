/// \file
/// Every fuzz target on every input of its corpus, tests/fuzz/corpus, and on every beginning of it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "fuzz/binary_trees.hpp"
#include "fuzz/burn.hpp"
#include "fuzz/burnpack.hpp"
#include "fuzz/container.hpp"
#include "fuzz/conversion.hpp"
#include "fuzz/document.hpp"
#include "fuzz/grammar_files.hpp"
#include "fuzz/gzip.hpp"
#include "fuzz/headers.hpp"
#include "fuzz/index.hpp"
#include "fuzz/journal.hpp"
#include "fuzz/json.hpp"
#include "fuzz/numbers.hpp"
#include "fuzz/numpy.hpp"
#include "fuzz/path.hpp"
#include "fuzz/pytorch.hpp"
#include "fuzz/recording.hpp"
#include "fuzz/runs.hpp"
#include "fuzz/schema.hpp"
#include "fuzz/slices.hpp"
#include "fuzz/typed.hpp"

namespace {

struct Target {
  std::string name;
  void (*run)(fuzz::Bytes bytes);
};

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {{"binary_trees", fuzz::binary_trees},
                                          {"burn", fuzz::burn_records},
                                          {"burnpack", fuzz::burnpack},
                                          {"container", fuzz::container},
                                          {"conversion", fuzz::conversion},
                                          {"document", fuzz::document},
                                          {"gzip", fuzz::gzip},
                                          {"headers", fuzz::headers},
                                          {"index", fuzz::index},
                                          {"journal", fuzz::journal},
                                          {"json", fuzz::json},
                                          {"numbers", fuzz::numbers},
                                          {"numpy", fuzz::numpy},
                                          {"path", fuzz::path},
                                          {"pytorch", fuzz::pytorch},
                                          {"recording", fuzz::recording},
                                          {"runs", fuzz::runs},
                                          {"schema", fuzz::schema},
                                          {"slices", fuzz::slices},
                                          {"typed", fuzz::typed}};
  return all;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::byte> content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

const std::filesystem::path folder = std::filesystem::path(SAFESTRUCTURES_TEST_DATA) / "fuzz";

}  // namespace

TEST_CASE("every input that fuzzing kept is handled by its target") {
  for (const Target& target : targets()) {
    CAPTURE(target.name);
    const auto files = files_in(folder / "corpus" / target.name);
    CHECK(files.size() >= 5);
    for (const auto& file : files) {
      CAPTURE(file.filename().string());
      CHECK_NOTHROW(target.run(content_of(file)));
    }
  }
}

TEST_CASE("every beginning of a short input is handled by its target") {
  for (const Target& target : targets()) {
    CAPTURE(target.name);
    std::size_t left = 5000;
    for (const auto& file : files_in(folder / "corpus" / target.name)) {
      CAPTURE(file.filename().string());
      const std::vector<std::byte> bytes = content_of(file);
      for (std::size_t size = 0; size < std::min<std::size_t>(bytes.size(), 300) && left > 0;
           ++size, --left)
        CHECK_NOTHROW(target.run(std::span(bytes).first(size)));
    }
  }
}

TEST_CASE("input from the grammar of the fuzzers is handled by its target, and much of it loads") {
  using namespace fuzz::grammar;
  struct Maker {
    std::string target;
    void (*change)(std::string& input, Random& random, std::string_view other);
  };
  const std::vector<Maker> makers = {{"container", change_container}, {"document", change_document},
                                     {"index", change_index},         {"json", change_json},
                                     {"schema", change_schema_text},  {"typed", change_typed}};
  for (const Maker& maker : makers) {
    CAPTURE(maker.target);
    const auto target =
        std::ranges::find(targets(), maker.target, [](const Target& one) { return one.name; });
    REQUIRE(target != targets().end());
    Random random(1);
    std::string input;
    std::string other;
    std::size_t loaded = 0;
    for (int i = 0; i < 300; ++i) {
      CAPTURE(i);
      // Begins anew now and then: a chain of changes ends in what no reader takes.
      if (i % 4 == 0) std::swap(other, input), input.clear();
      maker.change(input, random, other);
      const auto bytes = std::as_bytes(std::span(input));
      CHECK_NOTHROW(target->run(bytes));
      fuzz::expect_errors([&] { static_cast<void>(fuzz::ss::load(bytes)), ++loaded; });
    }
    if (maker.target == "container" || maker.target == "document" || maker.target == "json")
      CHECK(loaded >= 60);
  }
}

TEST_CASE(
    "segments missing, sealed or not are followed, read and recovered without a loss that is not "
    "told") {
  constexpr std::uint8_t seal = 4;
  for (unsigned states = 0; states < 256; ++states) {
    CAPTURE(states);
    for (const bool checksums : {false, true}) {
      CAPTURE(checksums);
      const auto segment = static_cast<std::uint8_t>((states + (checksums ? 1U : 0U)) % 4);
      const std::array<std::uint8_t, 6> input = {
          checksums, static_cast<std::uint8_t>(states), seal, 0, 0, segment};
      CHECK_NOTHROW(fuzz::runs(std::as_bytes(std::span(input))));
    }
  }
}

TEST_CASE("every fuzz target of tests/fuzz is replayed") {
  std::vector<std::string> names;
  for (const auto& file : files_in(folder)) {
    const std::string name = file.filename().string();
    if (name.ends_with("_fuzz.cpp")) names.push_back(name.substr(0, name.size() - 9));
  }
  REQUIRE(names.size() == targets().size());
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(names[i] == targets()[i].name);
}
