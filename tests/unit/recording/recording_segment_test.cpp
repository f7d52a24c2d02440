/// \file
/// What a segment says of its records is checked, whoever wrote it.
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/save.hpp>

#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::test::error_of;
using ss::test::Folder;

}  // namespace

TEST_CASE("a file that is not a segment is an error that names it") {
  const Folder folder;
  fs::create_directory(folder / "run");
  const fs::path file = folder / "run" / "segment-000001.safetensors";
  const auto error_of_root = [&](const ss::Value& root) {
    ss::save_file(root, file);
    const std::string text = error_of([&] { return ss::Recording(folder / "run"); });
    return text.substr(text.find(".safetensors: ") + 14);
  };
  const std::string none =
      "the file is not a segment of a recording: expected a struct of names, columns and "
      "values, found ";
  CHECK(error_of_root(1) == none + "int 1.");
  CHECK(error_of_root(ss::Value::list({1})) == none + "list of 1.");
  CHECK(
      error_of_root(ss::Value::structure("Record")) ==
      "at /sequence: a segment of a recording lacks a field: expected tensor U64 of one dimension, "
      "found nothing.");
}

namespace {

/// A segment of two records as it should be.
struct Columns {
  ss::Value names = ss::Value::list({"a", "b"});
  std::vector<std::uint64_t> sequence = {3, 4};
  std::vector<std::int64_t> step = {0, 0};
  std::vector<std::uint64_t> call = {0, 0};
  std::vector<std::int64_t> time = {0, 0};
  std::vector<std::uint32_t> name = {0, 1};
  std::vector<std::uint32_t> thread = {0, 0};
  std::vector<std::uint32_t> value = {0, 1};
  std::vector<std::int32_t> row = {-1, 1};
  std::vector<std::uint8_t> kept = {0, 2};
  ss::Value values = ss::Value::list({0.5, ss::Tensor::own(std::vector<float>{1, 2}, {2, 1})});

  [[nodiscard]] ss::Value root() const {
    const auto column = [](auto numbers) { return ss::Tensor::own(std::move(numbers)); };
    return ss::Value::structure("Segment", {{"names", names},
                                            {"sequence", column(sequence)},
                                            {"step", column(step)},
                                            {"call", column(call)},
                                            {"time", column(time)},
                                            {"name", column(name)},
                                            {"thread", column(thread)},
                                            {"value", column(value)},
                                            {"row", column(row)},
                                            {"kept", column(kept)},
                                            {"values", values}});
  }
};

}  // namespace

TEST_CASE("impossible columns of a segment are an error that names the place") {
  struct Case {
    void (*change)(Columns& columns);
    std::string error;
  };
  const std::vector<Case> cases = {
      {[](Columns& columns) { columns.names = 1; },
       "at /names: a segment of a recording lacks a field: expected a list, found int 1."},
      {[](Columns& columns) { columns.names = ss::Value::list({"a", 2}); },
       "at /names/1: a segment of a recording has an impossible value: expected str, found int "
       "2."},
      {[](Columns& columns) { columns.step = {0}; },
       "at /step: a segment of a recording lacks a field: expected tensor I64 [2], found "
       "tensor I64 [1]."},
      {[](Columns& columns) { columns.sequence = {}; },
       "at /step: a segment of a recording lacks a field: expected tensor I64 [0], found tensor "
       "I64 [2]."},
      {[](Columns& columns) { columns.sequence = {4, 4}; },
       "at /sequence/1: a segment of a recording has an impossible value: expected more than 4, "
       "found 4."},
      {[](Columns& columns) { columns.name = {0, 2}; },
       "at /name/1: a segment of a recording has an impossible value: expected a place among 2 "
       "names, found 2."},
      {[](Columns& columns) { columns.value = {2, 1}; },
       "at /value/0: a segment of a recording has an impossible value: expected a place among 2 "
       "values, found 2."},
      {[](Columns& columns) { columns.row = {-1, 2}; },
       "at /row/1: a segment of a recording has an impossible value: expected -1 or a row of "
       "tensor F32 [2, 1], found 2."},
      {[](Columns& columns) { columns.row = {0, 1}; },
       "at /row/0: a segment of a recording has an impossible value: expected -1 or a row of "
       "float 0.5, found 0."},
      {[](Columns& columns) { columns.row = {-2, 1}; },
       "at /row/0: a segment of a recording has an impossible value: expected -1 or a row of "
       "float 0.5, found -2."},
      {[](Columns& columns) { columns.value = {0, 0}, columns.row = {-1, -1}; },
       "at /value/1: a segment of a recording has an impossible value: expected a value or row "
       "that no "
       "record before it has, found that of record 0."},
      {[](Columns& columns) { columns.value = {1, 1}, columns.row = {1, 1}; },
       "at /value/1: a segment of a recording has an impossible value: expected a value or row "
       "that no "
       "record before it has, found that of record 0."},
      {[](Columns& columns) { columns.kept = {3, 0}; },
       "at /kept/0: a segment of a recording has an impossible value: expected 0 (full), 1 "
       "(slice) or 2 (statistics), found 3."},
  };
  const Folder folder;
  fs::create_directory(folder / "run");
  const fs::path file = folder / "run" / "segment-000001.safetensors";
  for (const Case& one : cases) {
    Columns columns;
    one.change(columns);
    ss::save_file(columns.root(), file);
    const std::string text = error_of([&] { return ss::Recording(folder / "run"); });
    CHECK(text.substr(text.find(".safetensors: ") + 14) == one.error);
  }
  ss::save_file(Columns{}.root(), file);
  const ss::Recording run(folder / "run");
  REQUIRE(run.size() == 2);
  CHECK(run[0].as<double>() == 0.5);
  CHECK(run[1].as<std::vector<float>>() == std::vector<float>{2});
  CHECK(run[1].kept() == ss::Keep::statistics);
}

TEST_CASE(
    "a segment of another layout is refused whatever its columns say, and other writers' read") {
  const Folder folder;
  fs::create_directory(folder / "run");
  const fs::path file = folder / "run" / "segment-000001.safetensors";
  const auto error_of_about = [&](const std::string& about) {
    ss::save_file(Columns{}.root(), file, {.metadata = {{"safestructures_recording", about}}});
    return error_of([&] { return ss::Recording(folder / "run"); });
  };
  const auto refused = [&](const std::string& version, const std::string& reader) {
    return "unsupported_version: " + file.string() +
           ": the segment of a recording has an unknown layout: expected version 2, "
           "found " +
           version + ". Read the recording with " + reader +
           ", or open this file alone as a structure.";
  };
  CHECK(error_of_about(R"({"version": 3, "segment": 1})") ==
        refused("3", "a newer safestructures"));
  CHECK(error_of_about(R"({"version": 1, "segment": 1})") ==
        refused("1", "the safestructures that recorded it"));
  for (const std::string about :
       {R"({"version": 2, "segment": 1})", R"({"version": "3"})", "{}", ""})
    CHECK(error_of_about(about) == "no error");
}

TEST_CASE("records may have the rows of a tensor in any order") {
  const Folder folder;
  fs::create_directory(folder / "run");
  Columns columns;
  columns.value = {1, 1};
  columns.row = {1, 0};
  ss::save_file(columns.root(), folder / "run" / "segment-000001.safetensors");
  const ss::Recording run(folder / "run");
  CHECK(run[0].as<std::vector<float>>() == std::vector<float>{2});
  CHECK(run[1].as<std::vector<float>>() == std::vector<float>{1});
}

TEST_CASE("a row of a large tensor is read alone, whatever the file says of others") {
  const Folder folder;
  fs::create_directory(folder / "run");
  Columns columns;
  std::vector<float> many(1000, 1);
  many[7] = 7;
  columns.values = ss::Value::list({0.5, ss::Tensor::own(std::move(many), {1000, 1})});
  columns.row = {-1, 7};
  ss::save_file(columns.root(), folder / "run" / "segment-000001.safetensors");
  const ss::Recording run(folder / "run", {.access = ss::Access::read});
  CHECK_FALSE(run[1].value().tensor().is_loaded());
  CHECK(run[1].as<std::vector<float>>() == std::vector<float>{7});
}

TEST_CASE("of what a file says beside rows each has the dtype alone") {
  const Folder folder;
  fs::create_directory(folder / "run");
  Columns columns;
  ss::Value& rows = columns.values[1];
  rows.set_type_name("torch.Tensor");
  rows.set_attribute("dtype", "F64");
  rows.set_attribute("long", ss::Value::list({1, 2, 3}).plain());
  ss::save_file(columns.root(), folder / "run" / "segment-000001.safetensors");
  const ss::Recording run(folder / "run");
  const ss::Value& row = run[1].value();
  CHECK(row.attributes().size() == 1);
  CHECK(row.type_name().empty());
  CHECK(run[1].as<ss::Tensor>().dtype() == ss::DType::F64);
}

TEST_CASE("a recording is read within the limits that its files may cost, followed or sealed") {
  const Folder folder;
  const auto opened = [&](const ss::Limits& limits) {
    return error_of([&] { return ss::Recording(folder / "run", {.limits = limits}); });
  };
  const auto check = [&](const ss::Limits& limits) {
    CHECK(opened({}) == "no error");
    const std::string error = opened(limits);
    CHECK(error.starts_with("limit_exceeded: " + (folder / "run").string()));
  };
  ss::ActivationRecorder recorder(folder / "run");
  for (std::size_t i = 0; i < 100; ++i)
    recorder.record("x", std::vector<std::vector<std::string>>{{"deep"}, {}});
  recorder.flush();
  check({.nodes = 2});
  check({.header_bytes = 1000});
  CHECK(opened({.header_bytes = 1000}).find("the journal is too large") != std::string::npos);
  recorder.close();
  check({.nodes = 50});
}
