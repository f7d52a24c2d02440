/// \file
/// Which layer of two recordings makes an error, and which pass on what came in.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include "compare/origin/lineage.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::InputEvidence;

using Numbers = std::vector<float>;

/// Records a name with numbers that are wrong by that share.
void put(ss::ActivationRecorder& recorder, const std::string& name, double error,
         std::size_t count = 4) {
  Numbers numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<float>((static_cast<double>(i) + 1) * (1 + error));
  recorder.record(name, numbers);
}

/// What a call of a layer records.
struct Entry {
  std::string name;
  double error;
};

ss::Comparison compared(const std::vector<std::vector<Entry>>& steps) {
  const ss::test::Folder folder;
  for (const bool is_a : {true, false}) {
    ss::ActivationRecorder recorder(folder / (is_a ? "a" : "b"));
    for (std::size_t step = 0; step < steps.size(); ++step) {
      recorder.step(static_cast<std::int64_t>(step));
      for (const Entry& entry : steps[step]) put(recorder, entry.name, is_a ? entry.error : 0);
    }
    recorder.close();
  }
  return ss::compare_files(folder / "a", folder / "b");
}

/// The name of the record that is taken as the input of a row.
std::string input_of(const ss::Comparison& found, std::size_t row) {
  return found.rows.at(found.rows.at(row).origin->input_row.value()).record->name;
}

std::vector<std::string> names(const ss::Comparison& found) {
  std::vector<std::string> list;
  for (const ss::Culprit& culprit : found.culprits) list.push_back(culprit.name);
  return list;
}

constexpr double masked_error = 1e-2;

/// Scores with an error, every other of which is masked.
Numbers masked_scores(float fill, bool is_added, double error) {
  Numbers numbers(16);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto score = static_cast<float>((static_cast<double>(i) - 7) * (1 + error));
    numbers[i] = i % 2 == 0 ? score : is_added ? score + fill : fill;
  }
  return numbers;
}

/// Runs of two layers that make an error, one of them in what it masks, and of two that pass on
/// what came in. \param is_wide whether what is masked is in double precision
ss::Comparison masked_runs(float fill, bool is_added, bool is_wide) {
  const ss::test::Folder folder;
  for (const bool is_a : {true, false}) {
    ss::ActivationRecorder recorder(folder / (is_a ? "a" : "b"));
    const double wrong = is_a ? masked_error : 0;
    const auto put_masked = [&](const std::string& name, double error) {
      const Numbers numbers = masked_scores(fill, is_added, error);
      if (is_wide) recorder.record(name, std::vector<double>(numbers.begin(), numbers.end()));
      else recorder.record(name, numbers);
    };
    put(recorder, "scores.input", 0);
    put(recorder, "scores", wrong);
    put(recorder, "mask.input", wrong);
    put_masked("mask", wrong);
    put_masked("soft.input", wrong);
    put(recorder, "soft", wrong / 2);
    put_masked("other.input", 0);
    put_masked("other", wrong);
    recorder.close();
  }
  return ss::compare_files(folder / "a", folder / "b");
}

void check_behind_masks(const ss::Comparison& found) {
  std::vector<std::string> culprits = names(found);
  std::ranges::sort(culprits);
  CHECK(culprits == std::vector<std::string>{"other", "scores"});
  const ss::ComparisonRow& mask = found.rows.at(3);
  CHECK(*mask.metrics->relative_l2 < 1e-4);
  CHECK(mask.unmasked_l2.value() == doctest::Approx(masked_error).epsilon(1e-3));
  CHECK(mask.origin->error == mask.unmasked_l2);
  CHECK(found.rows.at(5).origin->input_error == mask.unmasked_l2);
  CHECK(!found.rows.at(1).unmasked_l2);
  std::ostringstream json;
  found.write_json(json);
  CHECK(json.str().find(R"(, "unmasked_l2": 0.0)") != std::string::npos);
}

}  // namespace

TEST_CASE("a layer is measured against its recorded input, not against the largest error so far") {
  // The second layer shrinks the error and adds its own: no record is worse than the first.
  const ss::Comparison found = compared({{{"embed", 0.5},
                                          {"one.input", 0.5},
                                          {"one", 1e-3},
                                          {"two.input", 1e-3},
                                          {"two", 0.1},
                                          {"three.input", 0.1},
                                          {"three", 0.1}}});
  CHECK(names(found) == std::vector<std::string>{"embed", "two"});
  const ss::ErrorOrigin& two = *found.rows.at(4).origin;
  CHECK(input_of(found, 4) == "two.input");
  CHECK(two.evidence == InputEvidence::recorded);
  CHECK(*two.amplification == doctest::Approx(100).epsilon(1e-3));
  CHECK(*two.score == doctest::Approx(100).epsilon(1e-3));
  const ss::ErrorOrigin& three = *found.rows.at(6).origin;
  CHECK(*three.amplification == doctest::Approx(1));
  CHECK(!found.rows.at(6).makes_error);
  CHECK(!found.rows.at(2).makes_error);
}

TEST_CASE("without recorded inputs the preceding record is a guess, which is reported") {
  const ss::test::Folder folder;
  for (const bool is_a : {true, false}) {
    ss::ActivationRecorder recorder(folder / (is_a ? "a" : "b"));
    put(recorder, "x", is_a ? 1e-2 : 0);
    put(recorder, "table", 0, 8);
    put(recorder, "y", is_a ? 1e-2 : 0);
    put(recorder, "z", is_a ? 1e-2 : 0);
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(found.rows.at(0).origin->evidence == InputEvidence::none);
  CHECK(input_of(found, 2) == "table");
  CHECK(found.rows.at(2).origin->evidence == InputEvidence::other_shape);
  CHECK(!found.rows.at(2).origin->amplification);
  CHECK(input_of(found, 3) == "y");
  CHECK(found.rows.at(3).origin->evidence == InputEvidence::same_shape);
  // A table without an error between two layers makes no culprit of the second.
  CHECK(names(found) == std::vector<std::string>{"x"});
  CHECK(ss::to_string(InputEvidence::same_shape) == "same_shape");
}

TEST_CASE("a layer passes on what its parts made, and not what it makes itself") {
  const std::vector<Entry> inside = {
      {"block.input", 0}, {"block.norm.input", 0}, {"block.norm", 0}, {"block.mlp.input", 0}};
  std::vector<Entry> part = inside;
  part.push_back({"block.mlp", 0.1});
  part.push_back({"block", 0.02});
  CHECK(names(compared({part})) == std::vector<std::string>{"block.mlp"});
  std::vector<Entry> own = inside;
  own.push_back({"block.mlp", 0});
  own.push_back({"block", 0.02});
  CHECK(names(compared({own})) == std::vector<std::string>{"block"});
  // A wrong input is the fault of what hands it over.
  CHECK(names(compared({{{"one.input", 0}, {"one", 0}, {"two.input", 0.1}, {"two", 0.1}}})) ==
        std::vector<std::string>{"two.input"});
}

TEST_CASE("culprits are ranked by the error that they add to their input's, each named once") {
  std::vector<std::vector<Entry>> steps;
  for (int step = 0; step < 3; ++step)
    steps.push_back({{"one.input", 0},
                     {"one", 1e-4},
                     {"two.input", 1e-4},
                     {"two", 1e-3},
                     {"three.input", 0},
                     {"three.output", step == 1 ? 0.3 : 0}});
  const ss::Comparison found = compared(steps);
  CHECK(names(found) == std::vector<std::string>{"three.output", "one", "two"});
  CHECK(found.culprits.at(0).calls == 1);
  CHECK(found.culprits.at(1).calls == 3);
  CHECK(found.rows.at(found.culprits.at(0).row).record->step == 1);
  CHECK(*found.culprits.at(0).score > *found.culprits.at(1).score);
  std::ostringstream text;
  found.write_text(text);
  CHECK(text.str().find(
            "makes an error: three.output, step 1 call 1: error 3.00e-01, but 0 in its input "
            "three.input\n"
            "makes an error: one, step 0 call 0: error 1.00e-04, but 0 in its input one.input; in "
            "3 of "
            "its calls\n"
            "makes an error: two, step 0 call 0: error 1.00e-03, but 1.00e-04 in its input "
            "two.input; in 3 of its calls\n") != std::string::npos);
}

TEST_CASE("each call of a layer has its own inputs, and all of them count") {
  const ss::Comparison found = compared({{{"add.inputs.0", 0},
                                          {"add.inputs.1", 0.1},
                                          {"add", 0.1},
                                          {"add.inputs.0", 0},
                                          {"add.inputs.1", 0},
                                          {"add", 0.1}}});
  CHECK(input_of(found, 2) == "add.inputs.1");
  CHECK(!found.rows.at(2).makes_error);
  CHECK(found.rows.at(5).makes_error);
}

TEST_CASE("a NaN that comes in is passed on, a new one has no bound") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ss::Comparison found =
      compared({{{"one.input", 0}, {"one", nan}, {"two.input", nan}, {"two", nan}}});
  CHECK(names(found) == std::vector<std::string>{"one"});
  CHECK(!found.culprits.at(0).score);
  CHECK(!found.rows.at(1).origin->error);
  std::ostringstream json;
  found.write_json(json);
  CHECK(
      json.str().find(R"("origin": {"input": "one.input", "input_row": 0, "evidence": "recorded", )"
                      R"("error": null, "input_error": 0.0, "amplification": null, )"
                      R"("score": null})") != std::string::npos);
  CHECK(json.str().find(R"("culprits": [{"name": "one", "row": 1, "calls": 1, "score": null}])") !=
        std::string::npos);
}

TEST_CASE("an error without a measure ranks after its cause and before later ones") {
  // What a mask that moved leaves: -inf on one side, or -1e9.
  for (const double wrong : {HUGE_VAL, std::numeric_limits<double>::quiet_NaN(), 1e9}) {
    CAPTURE(wrong);
    CHECK(names(compared({{{"ids", 0}, {"one.input", 0.4}, {"one", wrong}}})) ==
          std::vector<std::string>{"one.input", "one"});
    // A rounding error brings nothing about.
    CHECK(
        names(compared({{{"two.input", 0}, {"two", 1e-2}, {"one.input", 1e-7}, {"one", wrong}}})) ==
        std::vector<std::string>{"one", "two"});
  }
}

TEST_CASE("numbers that masks fill in hide no error in the others") {
  struct Fill {
    float number;
    bool is_added;
  };
  constexpr float lowest = std::numeric_limits<float>::lowest();
  for (const Fill fill :
       {Fill{-1e4F, false}, Fill{-1e4F, true}, Fill{-1e9F, false}, Fill{lowest, true}}) {
    for (const bool is_wide : {false, true}) {
      CAPTURE(fill.number);
      CAPTURE(fill.is_added);
      CAPTURE(is_wide);
      check_behind_masks(masked_runs(fill.number, fill.is_added, is_wide));
    }
  }
}

TEST_CASE("in large tensors, numbers from everywhere show what masks hide") {
  for (const std::size_t count : {65'536U, 65'537U, 100'000U, 1'000'000U}) {
    CAPTURE(count);
    const ss::test::Folder folder;
    for (const bool is_a : {true, false}) {
      ss::ActivationRecorder recorder(folder / (is_a ? "a" : "b"));
      // The last tenth alone is masked.
      Numbers numbers(count, is_a ? 1.01F : 1);
      for (std::size_t i = count - count / 10; i < count; i += 2) numbers[i] = -1e9F;
      recorder.record("x", numbers);
      recorder.close();
    }
    const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
    REQUIRE(found.rows.at(0).unmasked_l2);
    CHECK(*found.rows.at(0).unmasked_l2 == doctest::Approx(0.01).epsilon(1e-4));
  }
}

TEST_CASE("numbers that are low on one side alone are not masked") {
  const ss::test::Folder folder;
  for (const bool is_a : {true, false}) {
    ss::ActivationRecorder recorder(folder / (is_a ? "a" : "b"));
    recorder.record("x", Numbers{1, is_a ? 2.0F : -1e9F, -1e9F});
    recorder.record("y", Numbers{1, is_a ? 2.0F : 3.0F, -8000});
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(!found.rows.at(1).unmasked_l2);
  CHECK(*found.rows.at(0).origin->error == doctest::Approx(1));
}

TEST_CASE("an error behind masks is relative to its numbers, whatever their magnitude") {
  for (const double size : {1e-250, 1e-100, 1e3, 1e150, 1e250}) {
    CAPTURE(size);
    const ss::test::Folder folder;
    for (const bool is_a : {true, false}) {
      ss::ActivationRecorder recorder(folder / (is_a ? "a" : "b"));
      recorder.record("x",
                      std::vector<double>{size * (is_a ? 1.5 : 1), -1e9 * std::max(size, 1.0)});
      recorder.close();
    }
    const ss::Comparison found =
        ss::compare_files(folder / "a", folder / "b", {.rtol = 0, .atol = 0});
    CHECK(found.rows.at(0).unmasked_l2.value() == doctest::Approx(0.5));
  }
}

TEST_CASE("records of inputs are known by their last words") {
  using ss::comparing::layer_of_input;
  CHECK(layer_of_input("a.b.input") == "a.b");
  CHECK(layer_of_input("a.inputs.mask") == "a");
  CHECK(layer_of_input("a.input.b.input") == "a.input.b");
  // A keyword that begins with the same word.
  CHECK(layer_of_input("a.input.input_ids") == "a");
  CHECK(layer_of_input("a.inputs.inputs_embeds") == "a");
  CHECK(!layer_of_input("input_ids.inputs_x"));
  for (const char* const name : {"input", ".input", "a.inputted", "a.input_norm", "a", ""})
    CHECK(!layer_of_input(name));
}

TEST_CASE("a record of another thread is never an input") {
  const ss::test::Folder folder;
  for (const bool is_a : {true, false}) {
    ss::ActivationRecorder recorder(folder / (is_a ? "a" : "b"));
    put(recorder, "layer.input", 0);
    put(recorder, "layer.0", 0);
    std::thread([&] { put(recorder, "layer", is_a ? 0.1 : 0); }).join();
    put(recorder, "layer", is_a ? 0.1 : 0);
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  CHECK(found.rows.at(2).origin->evidence == InputEvidence::none);
  CHECK(input_of(found, 3) == "layer.input");
  std::ostringstream text;
  found.write_text(text);
  CHECK(
      text.str().find("makes an error: layer, step 0 call 0: error 1.00e-01; nothing was recorded "
                      "before it") != std::string::npos);
}

TEST_CASE("the text names five culprits and counts the others") {
  const auto lines_of = [](int culprits) {
    std::vector<Entry> step;
    for (int i = 0; i < culprits; ++i) {
      step.push_back({std::to_string(i) + ".input", 0});
      step.push_back({std::to_string(i), 0.1});
    }
    std::ostringstream text;
    const ss::Comparison found = compared({step});
    CHECK(found.culprits.size() == step.size() / 2);
    found.write_text(text);
    std::vector<std::string> lines;
    std::istringstream all(text.str());
    for (std::string line; std::getline(all, line);)
      if (line.starts_with("makes an error: ") || line.ends_with(" more")) lines.push_back(line);
    return lines;
  };
  CHECK(lines_of(5).size() == 5);
  CHECK(!lines_of(5).back().ends_with(" more"));
  REQUIRE(lines_of(7).size() == 6);
  CHECK(lines_of(7).back() == "... 2 layers more");
}
