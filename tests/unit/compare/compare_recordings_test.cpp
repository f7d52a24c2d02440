/// \file
/// Two recordings, record by record.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::Value;
using ss::Verdict;

constexpr int layers = 12;

/// What a model of twelve layers records in three steps; each layer doubles what came in, and
/// `fault` may change what it makes of it.
void run(const std::filesystem::path& folder,
         const std::function<void(int step, int layer, std::vector<float>&)>& fault = nullptr,
         const ss::RecorderOptions& options = {}, const std::string& prefix = "model.layer") {
  ss::ActivationRecorder recorder(folder, options);
  for (int step = 0; step < 3; ++step) {
    recorder.step(step);
    std::vector<float> state = {1, 2, 3, 4};
    for (int layer = 0; layer < layers; ++layer) {
      for (float& number : state) number = number * 2 - 1;
      if (fault) fault(step, layer, state);
      recorder.record(prefix + std::to_string(layer), state);
    }
  }
  recorder.close();
}

std::string text_of(const ss::Comparison& found, const ss::TableOptions& options = {}) {
  std::ostringstream text;
  found.write_text(text, options);
  return text.str();
}

}  // namespace

TEST_CASE("a fault planted in one record is named with record, step and element") {
  const ss::test::Folder folder;
  run(folder / "b");
  for (const int planted : {0, 2, 10, 11}) {
    CAPTURE(planted);
    const std::filesystem::path other = folder / ("a" + std::to_string(planted));
    run(other, [&](int step, int layer, std::vector<float>& state) {
      if (step == 1 && layer == planted) state[2] *= 1.01F;
    });
    const ss::Comparison found = ss::compare_files(other, folder / "b");
    CHECK(!found.is_equal());
    const ss::ComparisonRow* const first = found.first_divergence();
    REQUIRE(first != nullptr);
    CHECK(first->record->name == "model.layer" + std::to_string(planted));
    CHECK(first->record->step == 1);
    CHECK(first->record->call == 1);
    CHECK(first->metrics->worst->index == 2);
    CHECK(first->makes_error);
    // Those behind it, in this step alone, pass it on.
    CHECK(found.differences() == static_cast<std::size_t>(layers - planted));
    for (const ss::ComparisonRow& row : found.rows) {
      if (&row == first || !ss::is_difference(row.verdict)) continue;
      CHECK(row.record->step == 1);
      CHECK(!row.makes_error);
      REQUIRE(row.growth);
      CHECK(*row.growth == doctest::Approx(1).epsilon(0.2));
    }
  }
}

TEST_CASE("a second fault is distinguished from the error that the first passes on") {
  const ss::test::Folder folder;
  run(folder / "b");
  run(folder / "a", [](int step, int layer, std::vector<float>& state) {
    if (step == 2 && layer == 3) state[0] *= 1.001F;
    if (step == 2 && layer == 7) state[3] *= 1.5F;
  });
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  std::vector<std::string> culprits;
  for (const ss::ComparisonRow& row : found.rows)
    if (row.makes_error) culprits.push_back(row.path);
  CHECK(culprits == std::vector<std::string>{"model.layer3", "model.layer7"});
}

TEST_CASE("a NaN is an error that has no measure, and what follows it passes it on") {
  const ss::test::Folder folder;
  run(folder / "b");
  run(folder / "a", [](int, int layer, std::vector<float>& state) {
    if (layer == 4) state[1] = std::numeric_limits<float>::quiet_NaN();
  });
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  std::vector<std::string> culprits;
  for (const ss::ComparisonRow& row : found.rows)
    if (row.makes_error) culprits.push_back(row.path);
  CHECK(culprits == std::vector<std::string>(3, "model.layer4"));
  CHECK(found.first_divergence()->metrics->non_finite.nan_only_a == 1);
}

TEST_CASE("the table of recordings is in the order of the calls when asked") {
  const ss::test::Folder folder;
  run(folder / "b");
  run(folder / "a", [](int step, int layer, std::vector<float>& state) {
    if (step == 0 && layer == 9) state[0] += 1024;
  });
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(
      text_of(found, {.order = ss::RowOrder::call}) ==
      "verdict     max abs   max rel    rel L2  SNR dB      ULP  beyond    out/in  record\n"
      "different  1.02e+03  2.56e+02  2.67e-01    11.5  >binade     1/4       new  step 0 call 0  "
      "model.layer9  worst at [0]: 1025 and 1\n"
      "different  2.05e+03  2.56e+02  2.67e-01    11.5  >binade     1/4  1.00e+00  step 0 call 0  "
      "model.layer10  worst at [0]: 2049 and 1\n"
      "different  4.10e+03  2.56e+02  2.67e-01    11.5  >binade     1/4  1.00e+00  step 0 call 0  "
      "model.layer11  worst at [0]: 4097 and 1\n"
      "33 equal tensors not shown\n"
      "first divergence: step 0, call 0 of model.layer9, worst at [0]: 1025 and 1\n"
      "makes an error: model.layer9, step 0 call 0: error 2.67e-01, but 0 in model.layer8, which "
      "was "
      "recorded before it\n"
      "compared 36 tensors, 144 of 144 numbers finite in both, and 0 other values\n"
      "different: 3 differences\n");
}

TEST_CASE("records that one recording alone has are told, and those left out by the other") {
  const ss::test::Folder folder;
  run(folder / "b");
  run(folder / "a", nullptr, {.rules = {{.names = "*layer5", .every = 2}, {.names = "*layer?"}}});
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(!found.is_equal());
  CHECK(found.coverage.only_b == 7);
  CHECK(found.coverage.tensors == 29);
  REQUIRE(found.notes.size() == 1);
  CHECK(found.notes.at(0).starts_with("a: the recorder left out or thinned records: model.layer"));
  // Paired by their calls, which count those that were not kept.
  CHECK(ss::compare_files(folder / "a", folder / "b", {.only = {"*layer4"}}).is_equal());
}

TEST_CASE("what was left out of more names than have room is told all the same") {
  const ss::test::Folder folder;
  for (const char* name : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / name, {.rules = {{.names = "*", .every = 2}}});
    for (std::int64_t step = 0; step < 2; ++step) {
      recorder.step(step);
      for (int layer = 0; layer < 300; ++layer)
        recorder.record("decoder.layer" + std::to_string(layer), std::vector<float>{1, 2});
    }
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(found.is_equal());
  const std::string left_out =
      "the recorder left out or thinned records: 300 filtered of 600 calls";
  CHECK(found.notes == std::vector<std::string>{"a: " + left_out, "b: " + left_out});
}

TEST_CASE("records whose calls are numbered differently are paired by step and order") {
  const ss::test::Folder folder;
  for (const int begin : {0, 2}) {
    ss::ActivationRecorder recorder(folder / std::to_string(begin));
    for (int step = begin; step < 4; ++step) {
      recorder.step(step);
      recorder.record("x", std::vector<float>{static_cast<float>(step)});
      recorder.record("x", std::vector<float>{static_cast<float>(step) + 0.5F});
    }
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "2", folder / "0");
  CHECK(found.coverage.tensors == 4);
  CHECK(found.coverage.only_b == 4);
  CHECK(found.differences() == 4);
  CHECK(found.notes ==
        std::vector<std::string>{
            "records paired by their order, because their calls are numbered differently: 4"});
}

TEST_CASE("a slice says nothing about a whole tensor") {
  const ss::test::Folder folder;
  run(folder / "b");
  run(folder / "a", nullptr,
      {.rules = {{.keep = ss::Keep::slice, .slices = ss::parse_slices("0:2")}}});
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(found.rows.at(0).verdict == Verdict::kind);
  CHECK(found.rows.at(0).detail == "kept as slice and as full");
  CHECK(found.coverage.tensors == 0);
}

TEST_CASE("slices of both recordings are compared, and that the rest was not is told") {
  const ss::test::Folder folder;
  for (const char* name : {"a", "b"})
    run(folder / name, nullptr,
        {.rules = {{.names = "*layer5", .keep = ss::Keep::slice, .slices = ss::parse_slices("0:2")},
                   {.names = "*"}}});
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(found.is_equal());
  CHECK(found.notes ==
        std::vector<std::string>{"records of which both recordings kept a slice, so that the rest "
                                 "of their tensors was not compared: 3"});
  CHECK(ss::compare_files(folder / "a", folder / "b", {.only = {"*layer4"}}).notes.empty());
}

TEST_CASE("records of other names are paired by rules, and suggested without") {
  const ss::test::Folder folder;
  run(folder / "b");
  run(folder / "a", nullptr, {}, "encoder.block");
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b",
                                                 {.renames = {{"encoder.block*", "model.layer*"}}});
  CHECK(found.is_equal());
  CHECK(found.rows.at(0).other_path == "model.layer0");
  const ss::Comparison without = ss::compare_files(folder / "a", folder / "b");
  REQUIRE(without.suggestions.size() == layers);
  CHECK(without.suggestions.at(10).from == "encoder.block10");
  CHECK(without.suggestions.at(10).to == "model.layer10");
}

namespace {

/// What two runs record under other names: tuples of the same shapes, and one of another.
void record_tuples(const std::filesystem::path& folder, const std::vector<std::string>& names,
                   const ss::Shape& other_shape, ss::Keep keep = ss::Keep::full) {
  ss::ActivationRecorder recorder(folder, {.rules = {{.keep = keep}}});
  const auto pair = [](float number, const ss::Shape& shape) {
    const ss::Tensor hidden = ss::Tensor::own(std::vector<float>(6, number), shape);
    // The first alone would not tell them apart.
    return Value::tuple({ss::Tensor::own(std::vector<float>{1, 2}), 7, hidden});
  };
  for (int call = 0; call < 2; ++call) {
    // In another order than their names are.
    for (std::size_t i = names.size(); i-- > 1;)
      recorder.record(names[i], pair(static_cast<float>(names[i].back()), {2, 3}));
    recorder.record(names[0], pair(1, other_shape));
  }
  recorder.close();
}

std::vector<std::string> suggestions_of(const ss::Comparison& found) {
  std::vector<std::string> texts;
  for (const ss::RenameSuggestion& one : found.suggestions)
    texts.push_back(one.from + " " + one.to + " " + one.reason);
  return texts;
}

}  // namespace

TEST_CASE("records that hold several tensors are suggested by all of them") {
  const ss::test::Folder folder;
  const std::vector<std::string> a = {"enc.head", "enc.layer0", "enc.layer1", "enc.layer2"};
  // Recorded in another order.
  const std::vector<std::string> b = {"out", "encoder.2", "encoder.0", "encoder.1"};
  const std::vector<std::string> expected = {"enc.layer2 encoder.2 same statistics",
                                             "enc.layer1 encoder.1 same statistics",
                                             "enc.layer0 encoder.0 same statistics"};
  record_tuples(folder / "a", a, {6});
  record_tuples(folder / "b", b, {3, 2});
  CHECK(suggestions_of(ss::compare_files(folder / "a", folder / "b")) == expected);
  // What is suggested is what a rename then pairs.
  const ss::Comparison renamed =
      ss::compare_files(folder / "a", folder / "b", {.renames = {{"enc.layer*", "encoder.*"}}});
  CHECK(renamed.differences() == 4);
  CHECK(renamed.coverage.tensors == 12);
  record_tuples(folder / "statistics", b, {3, 2}, ss::Keep::statistics);
  CHECK(suggestions_of(ss::compare_files(folder / "a", folder / "statistics")) == expected);
}

TEST_CASE("records whose tensors have other paths are not suggested, nor those without any") {
  const ss::test::Folder folder;
  const ss::Tensor tensor = ss::Tensor::own(std::vector<float>{1, 2});
  const auto record = [&](const char* name, const std::string& prefix, const std::string& key) {
    ss::ActivationRecorder recorder(folder / name);
    recorder.record(prefix + ".dict", Value::dict({{key, tensor}}));
    recorder.record(prefix + ".same", Value::dict({{"x", tensor}}));
    recorder.record(prefix + ".count", 3);
    recorder.close();
  };
  record("a", "one", "hidden");
  record("b", "two", "cell");
  CHECK(suggestions_of(ss::compare_files(folder / "a", folder / "b")) ==
        std::vector<std::string>{"one.same two.same same statistics"});
}

TEST_CASE("records are suggested by their order where their numbers would take too long") {
  const ss::test::Folder folder;
  for (const int records : {200, 300}) {
    for (const std::string side : {"a", "b"}) {
      ss::ActivationRecorder recorder(folder / (side + std::to_string(records)));
      for (int i = 0; i < records; ++i) {
        const ss::Tensor tensor = ss::Tensor::own(std::vector<float>{1, static_cast<float>(i)});
        recorder.record(side + "." + std::to_string(i),
                        Value::list({tensor, tensor, tensor, tensor}));
      }
      recorder.close();
    }
    const ss::Comparison found = ss::compare_files(folder / ("a" + std::to_string(records)),
                                                   folder / ("b" + std::to_string(records)));
    REQUIRE(found.suggestions.size() == static_cast<std::size_t>(records));
    CHECK(found.suggestions.back().to == "b." + std::to_string(records - 1));
    CHECK(found.suggestions.back().reason ==
          (records == 200 ? "same statistics" : "same shape and place"));
  }
}

TEST_CASE("a record that cannot be read is named, as its tensor is") {
  const ss::test::Folder folder;
  // More than what is read to open a file.
  constexpr std::size_t size = std::size_t{1} << 15U;
  for (const char* const name : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / name);
    for (int i = 0; i < 3; ++i)
      recorder.record("layer" + std::to_string(i),
                      Value::dict({{"out", ss::Tensor::own(std::vector<float>(size, 1))}}));
    recorder.close();
  }
  const ss::RecordingOptions deferred{.access = ss::Access::read};
  const ss::Recording a(folder / "a", deferred);
  const ss::Recording b(folder / "b", deferred);
  for (const auto& entry : std::filesystem::directory_iterator(folder / "b"))
    if (entry.file_size() > 0)
      std::filesystem::resize_file(entry.path(), entry.file_size() - size * sizeof(float) - 8);
  std::string found;
  try {
    static_cast<void>(ss::compare(a, b));
  } catch (const ss::Error& error) {
    found = error.details().path;
  }
  CHECK(found == "00000001:layer1.out");  // As the tensor is named in its file.
}

TEST_CASE("a recording that was not closed says so, and a file is not compared with one") {
  const ss::test::Folder folder;
  run(folder / "b");
  ss::ActivationRecorder recorder(folder / "a");
  recorder.record("model.layer0", std::vector<float>{1, 3, 5, 7});
  recorder.flush();
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  REQUIRE(!found.notes.empty());
  CHECK(found.notes.at(0) == "a: the recording was not closed, so records may be missing");
  CHECK(found.coverage.tensors == 1);
  recorder.close();
  const std::string a = (folder / "a").string();
  const std::string file = a + ".safetensors";
  const auto error_of = [](const std::string& one, const std::string& other) {
    return ss::test::error_of([&] { return ss::compare_files(one, other); });
  };
  const std::string missing = "cannot_open: " + file +
                              ": cannot open the file: No such file or directory. Check the path; "
                              "relative paths start at the current folder.";
  CHECK(error_of(a, file) == missing);
  CHECK(error_of(file, a) == missing);
  ss::save_file(std::vector<float>{1}, file);
  const std::string unlike =
      "invalid_argument: a file cannot be compared with a recording: expected two files, or the "
      "folders of two recordings, found " +
      a + ", which is a folder, and " + file + ".";
  CHECK(error_of(a, file) == unlike);
  CHECK(error_of(file, a) == unlike);
  CHECK(ss::test::error_of([&] {
          return ss::compare_files(a, folder / "b", {.format = ss::formats::json()});
        }) == "invalid_argument: " + a +
                  ": recordings have a format of their own: expected no CompareOptions::format, "
                  "found json.");
}

TEST_CASE("a path that cannot be looked at is an Error, of a side and of a run for the noise") {
  const ss::test::Folder folder;
  ss::save_file(std::vector<float>{1, 2}, folder / "a.safetensors");
  const std::string a = (folder / "a.safetensors").string();
  const std::string loop = (folder / "loop").string();
  std::filesystem::create_symlink("loop", loop);
  const std::string expected =
      "cannot_open: " + loop +
      ": cannot open the file: Too many levels of symbolic links. The symbolic link points to "
      "itself; name the file directly.";
  CHECK(ss::test::error_of([&] { return ss::compare_files(loop, a); }) == expected);
  CHECK(ss::test::error_of([&] { return ss::compare_files(a, loop); }) == expected);
  CHECK(ss::test::error_of([&] { return ss::compare_files(a, a, {.noise = {folder / "loop"}}); }) ==
        expected);
}

TEST_CASE("records that have no row take no room for one") {
  const ss::test::Folder folder;
  for (const char* name : {"a", "b"}) {
    ss::ActivationRecorder recorder(folder / name);
    for (int i = 0; i < 1000; ++i) recorder.record("count", i);
    recorder.record("x", std::vector<float>{1, 2});
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(found.coverage.values == 1000);
  CHECK(found.rows.size() == 1);
}
