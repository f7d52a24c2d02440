/// \file
/// Small tensors of one kind that are recorded together are rows of one tensor in the file, and
/// nobody who reads the recording need know.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/verify.hpp>

#include "recording/segments/frame.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
namespace fs = std::filesystem;
using ss::test::error_of;
using ss::test::Folder;

using Floats = std::vector<float>;

Floats floats(std::size_t count, std::size_t first) {
  Floats values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(first + i);
  return values;
}

fs::path segment_of(const fs::path& run) { return run / "segment-000001.safetensors"; }

/// What of a segment's values is a tensor of rows, by its shape.
std::vector<ss::Shape> rows_of(const fs::path& run) {
  std::vector<ss::Shape> shapes;
  const ss::Value root = ss::load_file(segment_of(run));
  for (const ss::Value& value : root["values"].items())
    if (value.kind() == ss::Kind::tensor && value.tensor_name().ends_with(":rows"))
      shapes.push_back(value.tensor().shape());
  return shapes;
}

/// Makes a recording whose rows have those shapes, of records that are written together: once more
/// where this thread was interrupted, and the writer did not wait.
template <class Give>
fs::path record_together(const Folder& folder, const std::vector<ss::Shape>& rows,
                         const ss::RecorderOptions& options, const Give& give) {
  for (int attempt = 1;; ++attempt) {
    const fs::path run = folder / ("run" + std::to_string(attempt));
    ss::ActivationRecorder recorder(run, options);
    give(recorder);
    recorder.close();
    if (rows_of(run) == rows || attempt == 50) return run;
  }
}

}  // namespace

TEST_CASE("records of two layers become the rows of two tensors, in the order of their calls") {
  const Folder folder;
  const std::vector<ss::Shape> rows = {{20, 4}, {20, 2, 3}};
  const fs::path path = record_together(folder, rows, {}, [](ss::ActivationRecorder& recorder) {
    for (std::size_t i = 0; i < 20; ++i) {
      recorder.record("a", floats(4, i));
      recorder.record("b", ss::Tensor::own(floats(6, i), {2, 3}));
      if (i % 10 == 0) recorder.record("loss", static_cast<double>(i));
    }
  });
  CHECK(rows_of(path) == rows);
  CHECK_NOTHROW(ss::verify_file(segment_of(path)));
  const ss::Recording run(path);
  REQUIRE(run.size() == 42);
  for (std::size_t i = 0; i < run.size(); ++i) CHECK(run[i].sequence() == i);
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(run.find_call("a", i)->as<Floats>() == floats(4, i));
    CHECK(run.find_call("b", i)->tensor().shape() == ss::Shape{2, 3});
    CHECK(run.find_call("b", i)->tensor().to_vector<float>() == floats(6, i));
  }
  CHECK(run.find_call("loss", 1)->as<double>() == 10);
  CHECK(run.find_call("a", 3)->path() == "/values/0/3");
  CHECK(run.find_call("b", 19)->path() == "/values/1/19");
  CHECK(run.find_call("loss", 1)->path() == "/values/3");
}

TEST_CASE("a row that does not fit names the file and the row") {
  const Folder folder;
  const fs::path path = record_together(folder, {{2, 2}}, {}, [](ss::ActivationRecorder& recorder) {
    recorder.record("x", floats(2, 0));
    recorder.record("x", floats(2, 1));
  });
  const ss::Recording run(path);
  CHECK(error_of([&] { return run[1].as<std::string>(); }) ==
        "type_mismatch: " + segment_of(path).string() +
            ": at /values/0/1: a value has the wrong type, in the record 'x', step 0 call 1: "
            "expected str, found tensor F32 [2].");
  ss::Record copy = run[1];
  CHECK(copy.value().tensor() == run[1].tensor());
}

TEST_CASE("a record that is no tensor is named where one is asked for") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  recorder.step(3);
  recorder.record("loss", 0.5);
  recorder.close();
  const ss::Recording run(folder / "run");
  CHECK(error_of([&] { return run[0].tensor(); }) ==
        "type_mismatch: " + segment_of(folder / "run").string() +
            ": at /values/0: a value has the wrong type, in the record 'loss', step 3 call 0: "
            "expected a tensor, found float 0.5.");
}

TEST_CASE("records that differ in dtype, shape, own dtype or size share no tensor") {
  const Folder folder;
  const Floats large(4097, 1);
  const Floats largest(4096, 2);
  const std::vector<ss::Shape> rows = {{2, 3}, {2, 3}, {2, 3}, {2, 1, 3}, {2, 4096}};
  const auto give = [&](ss::ActivationRecorder& recorder) {
    for (int i = 0; i < 2; ++i) {
      recorder.record("f32", floats(3, 0));
      recorder.record("f64", std::vector<double>{0.5, 1, 2});  // Stored as F32, but not its own.
      recorder.record("i32", std::vector<std::int32_t>{1, 2, 3});
      recorder.record("matrix", ss::Tensor::own(floats(3, 0), {1, 3}));
      recorder.record("large", large);
      recorder.record("largest", largest);
      recorder.record("empty", Floats());
      recorder.record("list", ss::Value::list({ss::Tensor::own(floats(3, 0))}));
    }
    recorder.record("alone", std::vector<std::uint8_t>{1});
  };
  const fs::path path = record_together(folder, rows, {.precision = ss::Precision::f32}, give);
  CHECK(rows_of(path) == rows);
  const ss::Recording run(path);
  REQUIRE(run.size() == 17);
  for (std::size_t i = 0; i < 16; i += 8) {
    CHECK(run[i].as<Floats>() == floats(3, 0));
    CHECK(run[i + 1].as<std::vector<double>>() == std::vector<double>{0.5, 1, 2});
    CHECK(run[i + 1].tensor().dtype() == ss::DType::F32);
    CHECK(run[i + 1].as<ss::Tensor>().dtype() == ss::DType::F64);
    CHECK(run[i + 2].as<std::vector<std::int32_t>>() == std::vector<std::int32_t>{1, 2, 3});
    CHECK(run[i + 3].tensor().shape() == ss::Shape{1, 3});
    CHECK(run[i + 4].as<Floats>() == large);
    CHECK(run[i + 5].as<Floats>() == largest);
    CHECK(run[i + 6].as<Floats>().empty());
    CHECK(run[i + 7].as<std::vector<Floats>>() == std::vector<Floats>{floats(3, 0)});
  }
  CHECK(run[16].as<std::vector<std::uint8_t>>() == std::vector<std::uint8_t>{1});
}

TEST_CASE("rows are read by every access, and while the recorder goes on") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  ss::Recording live(folder / "run");
  for (std::size_t round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 10; ++i) {
      recorder.record("x", floats(4, 100 * round + i));
      recorder.record("y", std::vector<std::uint16_t>{static_cast<std::uint16_t>(i)});
      recorder.record("z", floats(600, i));  // Too large to be read with those around it.
    }
    recorder.flush();
    CHECK(live.refresh() == 30);
    CHECK(live.find_call("x", 10 * round + 9)->as<Floats>() == floats(4, 100 * round + 9));
  }
  recorder.close();
  CHECK(live.refresh() == 0);
  for (const ss::Access access : {ss::Access::map, ss::Access::memory, ss::Access::read}) {
    const ss::Recording run(folder / "run", {.access = access});
    REQUIRE(run.size() == live.size());
    const ss::Tensor& large = run.find_call("z", 3)->value().tensor();
    CHECK(large.is_loaded() == (access != ss::Access::read));
    CHECK(run.find_call("x", 3)->value().tensor().is_loaded() == (access != ss::Access::read));
    for (std::size_t i = 0; i < run.size(); ++i) CHECK(run[i].value() == live[i].value());
  }
}

TEST_CASE("a segment ends before its journal is larger than its readers take") {
  const Folder folder;
  // In the header once, in the journal for each record.
  const std::string name(60'000, 'n');
  ss::ActivationRecorder recorder(folder / "run", {.header_bytes = 1U << 20U});
  for (std::size_t i = 0; i < 1200; ++i) recorder.record(name, floats(1, i));
  recorder.close();
  CHECK(recorder.report().segments == 2);
  const ss::Recording run(folder / "run");
  REQUIRE(run.size() == 1200);
  CHECK(run[1199].as<Floats>() == floats(1, 1199));
}

TEST_CASE("a tensor of more dimensions than the limit allows is an error, however small") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run", {.limits = {.rank = 2}});
  recorder.record("x", ss::Tensor::allocate(ss::DType::F32, {1, 2, 3}));
  CHECK(error_of([&] { recorder.close(); }) ==
        "limit_exceeded: " + (folder / "run").string() +
            ": at /x: a tensor has too many dimensions: expected at most 2 (Limits::rank), found "
            "3.");
  CHECK(recorder.report().all.failed == 1);
}

TEST_CASE("a moved-in value is freed before its record is reported as written") {
  constexpr std::size_t count = 20'000;
  const Folder folder;
  const Floats numbers = floats(4, 0);
  std::atomic<std::uint64_t> freed = 0;
  ss::ActivationRecorder recorder(folder / "run");
  for (std::size_t i = 0; i < count; ++i)
    recorder.record("x", ss::Tensor::share(ss::DType::F32, {4}, std::as_bytes(std::span(numbers)),
                                           {&numbers, [&](const void*) { ++freed; }}));
  for (std::uint64_t written = 0; written < count;) {
    written = recorder.report().written;
    REQUIRE(freed >= written);
  }
}

TEST_CASE("rows begin where their numbers are aligned, behind a gap with a checksum") {
  const Folder folder;
  const auto give = [](ss::ActivationRecorder& recorder) {
    for (std::uint8_t i = 0; i < 2; ++i) {
      recorder.record("bytes", std::vector<std::uint8_t>(3, i));
      recorder.record("numbers", std::vector<double>{1.5, 0.5 + i});
    }
  };
  const fs::path run = record_together(folder, {{2, 3}, {2, 2}}, {}, give);
  REQUIRE(rows_of(run) == std::vector<ss::Shape>{{2, 3}, {2, 2}});
  CHECK(ss::verify_file(segment_of(run)).has_checksums);
  const ss::Document document = ss::Document::open(segment_of(run));
  const auto& gaps = document.content().extra_tensors;
  const auto gap = std::ranges::find(gaps, "gap.6", [](const auto& one) { return one.first; });
  REQUIRE(gap != gaps.end());
  CHECK(gap->second.size() == 2);
  const ss::Recording read(run, {.access = ss::Access::map});
  for (std::size_t i = 0; i < 2; ++i) {
    const ss::Tensor numbers = read[2 * i + 1].tensor();
    CHECK(reinterpret_cast<std::uintptr_t>(numbers.bytes().data()) % alignof(double) == 0);
    CHECK(read[2 * i].as<std::vector<std::uint8_t>>() ==
          std::vector(3, static_cast<std::uint8_t>(i)));
    CHECK(read[2 * i + 1].as<std::vector<double>>() ==
          std::vector<double>{1.5, 0.5 + static_cast<double>(i)});
  }
}

TEST_CASE("room in front of the data that was not needed is no part of the header") {
  constexpr std::uint64_t kib = 1024;
  for (const std::uint64_t room : {64 * kib, 100 * kib, 256 * kib, 1024 * kib}) {
    CAPTURE(room);
    const Folder folder;
    ss::ActivationRecorder recorder(folder / "run", {.header_bytes = room});
    // An odd number of bytes in the columns.
    for (std::size_t i = 0; i < 11; ++i) recorder.record("x", floats(4, i));
    // What is only closed has no room.
    static_cast<void>(recorder.flush());
    recorder.close();
    const ss::Recording run(folder / "run");
    REQUIRE(run.size() == 11);
    const fs::path file = run[0].file();
    CHECK_NOTHROW(static_cast<void>(ss::verify_file(file)));
    std::uint64_t header = 0;
    std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(&header), sizeof header);
    const ss::Document document = ss::Document::open(file);
    const auto& gaps = document.content().extra_tensors;
    const auto gap =
        std::ranges::find(gaps, "gap.columns", [](const auto& one) { return one.first; });
    // 16 KiB are kept for what is said of the recording, and for each record up to one.
    CHECK(header < 32 * kib);
    REQUIRE(gap != gaps.end());
    CHECK(gap->second.size() > room - 32 * kib);
    CHECK(fs::file_size(file) == room + 11 * 4 * sizeof(float));
    CHECK(
        std::ranges::all_of(gap->second.bytes(), [](std::byte one) { return one == std::byte{}; }));
    CHECK(run[10].as<Floats>() == floats(4, 10));
  }
}

TEST_CASE("of rows that a dead recorder left those that are whole are recovered") {
  const Folder folder;
  constexpr std::uint64_t room = 32768;
  fs::path live;
  std::optional<ss::ActivationRecorder> recorder;
  // As `record_together`.
  for (int attempt = 1; attempt <= 50; ++attempt) {
    live = folder / ("live" + std::to_string(attempt));
    recorder.emplace(live, ss::RecorderOptions{.header_bytes = room});
    for (std::size_t i = 0; i < 10; ++i) {
      recorder->record("x", floats(4, i));
      recorder->record("y", std::vector<std::uint16_t>{static_cast<std::uint16_t>(i)});
    }
    recorder->flush();
    const ss::Recording run(live);
    if (run.find_call("x", 9)->path() == "/values/0/9") break;
  }
  const fs::path run = folder / "run";
  fs::copy(live, run);
  const auto whole_x = [](const ss::Record& record) {
    if (record.name() == "x") CHECK(record.as<Floats>() == floats(4, record.call()));
    else
      CHECK(record.as<std::vector<std::uint16_t>>() ==
            std::vector<std::uint16_t>{static_cast<std::uint16_t>(record.call())});
  };
  {
    // The fourth x, 16 bytes each.
    std::fstream part(run / "segment-000001.part", std::ios::in | std::ios::out);
    part.seekp(static_cast<std::streamoff>(room) + 3 * 16);
    part.put('\x7F');
  }
  const ss::RecoveryReport report = ss::recover_recording(run);
  CHECK(report.losses == std::vector<std::string>{
                             "segment-000001.part: the data of 1 record are damaged or missing"});
  CHECK(report.recovered == 19);
  CHECK_NOTHROW(ss::verify_file(segment_of(run)));
  CHECK(rows_of(run) == std::vector<ss::Shape>{{10, 4}, {10, 1}});
  const ss::Recording found(run);
  REQUIRE(found.size() == 19);
  for (const ss::Record& record : found) whole_x(record);
  CHECK(found.find_call("x", 3) == nullptr);

  // A journal that ends early has the first calls, though their data lie among those of others.
  const fs::path cut = folder / "cut";
  fs::copy(live, cut);
  fs::resize_file(cut / "segment-000001.journal",
                  fs::file_size(cut / "segment-000001.journal") * 2 / 5);
  CHECK_FALSE(ss::recover_recording(cut).is_lossy());
  const ss::Recording first(cut);
  CHECK(first.size() >= 6);
  CHECK(first.size() <= 8);
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(first[i].sequence() == i);
    whole_x(first[i]);
  }
  recorder->close();
}

TEST_CASE("records of any kinds and sizes come back, whatever they share the file with") {
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  for (int round = 0; round < 20; ++round) {
    const Folder folder;
    std::vector<ss::Value> expected;
    std::vector<std::string> names;
    ss::ActivationRecorder recorder(
        folder / "run", {.segment_bytes = below(2) == 0 ? 4096U : 1U << 20U, .header_bytes = 8192});
    for (std::size_t i = 0, count = below(300); i < count; ++i) {
      const Floats values = floats(1 + below(4), i);
      ss::Value value;
      switch (below(5)) {
        case 0: value = ss::Tensor::of(std::span(values)).clone(); break;
        case 1: value = ss::Tensor::of(std::span(values)).to(ss::DType::F16); break;
        case 2: value = ss::Tensor::of(std::span(values)).to(ss::DType::I16); break;
        case 3:
          value =
              ss::Value::tuple({static_cast<double>(i), ss::Tensor::of(std::span(values)).clone()});
          break;
        default: value = ss::Tensor::own(floats(900 + below(300), i)); break;
      }
      names.push_back("n" + std::to_string(below(6)) + (below(50) == 0 ? "\"\\\u00E9" : ""));
      recorder.record(names.back(), value);
      expected.push_back(std::move(value));
      if (below(40) == 0) recorder.flush();
    }
    recorder.close();
    const ss::Recording run(folder / "run");
    REQUIRE(run.size() == expected.size());
    for (std::size_t i = 0; i < run.size(); ++i) {
      CHECK(run[i].name() == names[i]);
      CHECK(run[i].value() == expected[i]);
    }
    for (const std::string& name : Folder::names_in(folder / "run"))
      if (name.ends_with(".safetensors")) CHECK_NOTHROW(ss::verify_file(folder / "run" / name));
  }
}
