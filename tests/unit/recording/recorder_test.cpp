/// \file
/// What is recorded is what is read: values, names, order, steps, segments.
#include <array>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors/reader.hpp>
#include <safestructures/plugins/eigen.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/verify.hpp>

#include "support/errors.hpp"
#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::test::error_of_void;
using ss::test::Folder;

struct Output {
  std::vector<float> hidden;
  std::optional<std::int64_t> token;
  std::map<std::string, std::vector<std::uint8_t>> masks;
  friend bool operator==(const Output&, const Output&) = default;
};

std::vector<float> numbers(std::size_t count, float first) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + static_cast<float>(i);
  return values;
}

std::vector<std::string> names_of(const ss::Recording& run) {
  std::vector<std::string> names;
  for (const ss::Record& record : run) names.push_back(record.name());
  return names;
}

}  // namespace

TEST_CASE("values of every kind come back as they were recorded") {
  const Folder folder;
  const Output output{numbers(5, 0.5F), 7, {{"a", {1, 0, 1}}, {"b", {}}}};
  const Eigen::MatrixXd matrix = Eigen::MatrixXd::Random(4, 3);
  {
    ss::ActivationRecorder recorder(folder / "run");
    recorder.record("scalar", 3.25);
    recorder.record("text", std::string("h\u00E9\n\""));
    recorder.record("output", output);
    recorder.record("matrix", matrix);
    recorder.record("row", matrix.row(1));
    recorder.record("moved", numbers(100, 3));
    recorder.record("value", ss::Value::list({1, ss::Value(), "x"}));
    recorder.record("empty", std::vector<double>());
    recorder.close();
  }
  const ss::Recording run(folder / "run");
  REQUIRE(run.size() == 8);
  CHECK(run[0].as<double>() == 3.25);
  CHECK(run[1].as<std::string>() == "h\u00E9\n\"");
  CHECK(run[2].as<Output>() == output);
  CHECK(run[3].as<Eigen::MatrixXd>() == matrix);
  CHECK(run[4].as<Eigen::RowVectorXd>() == matrix.row(1));
  CHECK(run[5].as<std::vector<float>>() == numbers(100, 3));
  CHECK(run[6].value() == ss::Value::list({1, ss::Value(), "x"}));
  CHECK(run[7].as<std::vector<double>>().empty());
  CHECK(run[3].tensor().dtype() == ss::DType::F64);
  CHECK(run.is_closed());
  CHECK(run.problems().empty());
}

TEST_CASE("names are those of the scopes, and calls and steps are counted") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  for (const std::int64_t step : {0, 1, -5}) {
    recorder.step(step);
    recorder.record("embed", 1);
    const auto decoder = recorder.scope("decoder");
    for (const std::string layer : {"layer10", "layer2"}) {
      const auto scope = recorder.scope(layer);
      recorder.record("out", step);
    }
    recorder.record("norm", 2);
  }
  recorder.close();
  const ss::Recording run(folder / "run");
  const std::vector<std::string> names = {"embed", "decoder.layer10.out", "decoder.layer2.out",
                                          "decoder.norm"};
  CHECK(run.names() == names);
  CHECK(run.steps() == std::vector<std::int64_t>{-5, 0, 1});
  REQUIRE(run.size() == 12);
  for (std::size_t i = 0; i < run.size(); ++i) {
    CHECK(run[i].name() == names[i % 4]);
    CHECK(run[i].call() == i / 4);
    CHECK(run[i].sequence() == i);
    CHECK(run[i].thread() == 0);
    CHECK(run[i].kept() == ss::Keep::full);
    if (i > 0) CHECK(run[i].time() >= run[i - 1].time());
  }
  REQUIRE(run.find("decoder.layer2.out", -5) != nullptr);
  CHECK(run.find("decoder.layer2.out", -5)->as<int>() == -5);
  CHECK(run.find("decoder.layer2.out", 2) == nullptr);
  CHECK(run.find("decoder", 1) == nullptr);
  CHECK(run.find_call("embed", 2) == &run[8]);
  CHECK(run.select("decoder.*.out").size() == 6);
  CHECK(run.select("*").size() == 12);
  CHECK(run.select("out").empty());
}

TEST_CASE("a segment is a file of the default format that every check passes") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  recorder.record("a", std::vector<std::uint8_t>{1, 2, 3});
  recorder.record("b", std::vector<double>{1, 2});
  recorder.record("c", std::pair(std::vector<std::uint8_t>{1}, std::vector<float>{2}));
  recorder.close();
  const std::filesystem::path file = folder / "run" / "segment-000001.safetensors";
  const ss::VerifyReport report = ss::verify_file(file);
  CHECK(report.has_checksums);
  const ss::Document document = ss::open(file);
  CHECK(document.root().type_name() == "Segment");
  CHECK(document.at("/names").as<std::vector<std::string>>() ==
        std::vector<std::string>{"a", "b", "c"});
  CHECK(document.at("/sequence").tensor().to_vector<std::uint64_t>() ==
        std::vector<std::uint64_t>{0, 1, 2});
  // Aligned, so that it can be used where it is mapped.
  const ss::Tensor tensor = document.at("/values/1").tensor();
  CHECK(tensor.data<double>()[1] == 2);
  CHECK(document.at("/values/1").value().tensor_name() == "00000001:b");
  CHECK(document.at("/values/2/1").tensor().to_vector<float>()[0] == 2);
  CHECK(document.at("/values/2/1").value().tensor_name() == "00000002:c.1");
  CHECK(Folder::names_in(folder / "run") ==
        std::vector<std::string>{"recording.lock", "segment-000001.safetensors"});
}

TEST_CASE("a recording of scalars alone is a safetensors file, too") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  recorder.record("loss", 0.5);
  recorder.close();
  CHECK_NOTHROW(ss::verify_file(folder / "run" / "segment-000001.safetensors"));
  CHECK(ss::Recording(folder / "run")[0].as<double>() == 0.5);
}

TEST_CASE("records of every size come back, with checksums that fit, beside any others") {
  constexpr std::size_t kib = 256;  // Of floats.
  for (const bool checksums : {true, false}) {
    const Folder folder;
    std::vector<std::vector<float>> given;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, 16 * kib - 1, 16 * kib, std::size_t{3}, 1024 * kib - 1,
          1024 * kib, 1024 * kib + 1, std::size_t{5}, 3000 * kib + 7, std::size_t{2}, 40 * kib})
      given.push_back(numbers(size, static_cast<float>(given.size())));
    // As many small ones as no call writes at once.
    for (std::size_t i = 0; i < 700; ++i) given.push_back(numbers(i, static_cast<float>(i)));
    {
      ss::ActivationRecorder recorder(folder / "run", {.checksums = checksums});
      for (const std::vector<float>& one : given) {
        recorder.record("x", one);
        recorder.record("byte", std::vector<std::uint8_t>{1});  // What follows needs a gap.
      }
      recorder.close();
    }
    const ss::Recording run(folder / "run");
    REQUIRE(run.size() == 2 * given.size());
    for (std::size_t i = 0; i < given.size(); ++i)
      CHECK(run[2 * i].as<std::vector<float>>() == given[i]);
    CHECK_NOTHROW(static_cast<void>(ss::verify_file(run[0].file())));
  }
}

TEST_CASE("the first record of a step is found whatever the order of steps") {
  for (const bool is_ascending : {true, false}) {
    const Folder folder;
    ss::ActivationRecorder recorder(folder / "run");
    for (const std::int64_t n : {0, 2, 2, 4, 4, 4, 7}) {
      recorder.step(is_ascending ? n : 7 - n);
      recorder.record("x", n);
    }
    recorder.close();
    const ss::Recording run(folder / "run");
    // The first are looked for among all, the later ones in an index.
    for (int round = 0; round < 10; ++round) {
      CAPTURE(round);
      for (const auto& [step, call] :
           std::map<std::int64_t, std::uint64_t>{{0, 0}, {2, 1}, {4, 3}, {7, 6}})
        CHECK(run.find("x", is_ascending ? step : 7 - step)->call() == call);
      for (const std::int64_t step : {-1, 8, 100}) CHECK(run.find("x", step) == nullptr);
      CHECK(run.find("y", 0) == nullptr);
      for (std::uint64_t call = 0; call < 7; ++call)
        CHECK(run.find_call("x", call)->sequence() == call);
      CHECK(run.find_call("x", 7) == nullptr);
    }
  }
}

TEST_CASE("records behind those that were known are found in a segment that was sealed since") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  const auto record = [&](std::int64_t first) {
    for (std::int64_t n = first; n < first + 3; ++n) {
      recorder.step(n);
      recorder.record("x", n);
      recorder.record("y", -n);
    }
  };
  record(0);
  recorder.flush();
  ss::Recording run(folder / "run");
  REQUIRE(run.size() == 6);
  record(3);
  recorder.close();
  CHECK(run.refresh() == 6);
  for (int round = 0; round < 10; ++round)
    for (std::int64_t n = 0; n < 6; ++n) {
      CAPTURE(round);
      CAPTURE(n);
      REQUIRE(run.find("y", n) != nullptr);
      CHECK(run.find("y", n)->as<std::int64_t>() == -n);
      CHECK(run.find_call("x", static_cast<std::uint64_t>(n))->as<std::int64_t>() == n);
    }
}

TEST_CASE("a recording can be followed while it goes on") {
  const Folder folder;
  std::optional<ss::ActivationRecorder> recorder;
  recorder.emplace(folder / "run", ss::RecorderOptions{.segment_bytes = 5000});
  ss::Recording run(folder / "run");
  std::size_t seen = 0;
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < round % 3 + 1; ++i)
      recorder->record("x", numbers(200, static_cast<float>(seen++)));
    recorder->record("s", round);
    CHECK(recorder->flush() == seen + static_cast<std::size_t>(round) + 1);
    CHECK(run.refresh() == static_cast<std::size_t>(round % 3 + 2));
    for (const int known : {round, round / 2, round / 3, 0})
      CHECK(run.find_call("s", static_cast<std::uint64_t>(known))->as<int>() == known);
    CHECK_FALSE(run.is_closed());
  }
  recorder->close();
  CHECK(run.refresh() == 0);
  CHECK(run.is_closed());
  CHECK(run.problems().empty());
  for (std::size_t i = 0; i < seen; ++i)
    CHECK(run.find_call("x", i)->as<std::vector<float>>() == numbers(200, static_cast<float>(i)));
  CHECK(names_of(run) == names_of(ss::Recording(folder / "run")));
}

TEST_CASE("tensors that share their memory by name are stored once, those of others apart") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  ss::Value shared(ss::Tensor::own(numbers(1000, 1)));
  shared.set_tensor_name("weight");
  ss::Value other(ss::Tensor::own(numbers(1000, 2)));
  other.set_tensor_name("weight");
  // The same memory with another dtype.
  ss::Value bits(ss::Tensor::borrow(ss::DType::I32, {1000}, shared.tensor().bytes()));
  bits.set_tensor_name("weight");
  ss::Value pair = ss::Value::list({shared, shared, other, bits});
  recorder.record("pair", pair);
  recorder.record("pair", std::move(pair));
  recorder.close();
  // Ten are the segment's own.
  CHECK(ss::verify_file(folder / "run" / "segment-000001.safetensors").tensor_count == 6 + 10);
  const ss::Recording run(folder / "run");
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(run[i].value()[1].tensor() == shared.tensor());
    CHECK(run[i].value()[2].tensor() == other.tensor());
    CHECK(run[i].value()[3].tensor() == bits.tensor());
  }
}

TEST_CASE("a recorded value may change at once, a moved-in one is not copied") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  std::vector<float> values = numbers(100'000, 0);
  for (int i = 0; i < 10; ++i) {
    values[0] = static_cast<float>(i);
    recorder.record("x", values);
    values.assign(values.size(), -1);
    values = numbers(100'000, 0);
  }
  ss::Tensor tensor = ss::Tensor::own(numbers(4, 4));
  recorder.record("t", std::move(tensor));
  recorder.close();
  const ss::Recording run(folder / "run");
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(run[i].tensor().to_vector<float>()[0] == static_cast<float>(i));
    CHECK(run[i].tensor().to_vector<float>()[9] == 9);
  }
  CHECK(run[10].as<std::vector<float>>() == numbers(4, 4));
}

TEST_CASE("precision is the recorder's, or kept") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run", {.precision = ss::Precision::f16});
  recorder.record("x", std::vector<double>{1, 1e9, 3});
  recorder.close();
  const ss::Recording run(folder / "run");
  CHECK(run[0].tensor().dtype() == ss::DType::F16);
  CHECK(run[0].as<std::vector<double>>() ==
        std::vector<double>{1, std::numeric_limits<double>::infinity(), 3});
}

TEST_CASE("a call that cannot be recorded says why") {
  const Folder folder;
  ss::ActivationRecorder recorder(folder / "run");
  const std::string run = (folder / "run").string();
  CHECK(error_of_void([&] { recorder.record("", 1); }) ==
        "invalid_argument: " + run + ": a record has no name: expected a name.");
  CHECK(error_of_void([&] { recorder.record("\xFF", 1); }) ==
        "invalid_utf8: " + run + ": the name of a record is not valid UTF-8: found \"\\xff\".");
  CHECK(error_of_void([&] { static_cast<void>(recorder.scope("")); }) ==
        "invalid_argument: " + run + ": a scope has no name: expected a name.");
  CHECK(error_of_void([&] { ss::ActivationRecorder second(run); }) ==
        "cannot_write: " + run +
            ": another recorder writes to the folder: expected a folder that no process writes to, "
            "found its lock held by a running process. Close the recorder, or end its process and "
            "those that it forked.");
  recorder.record("x", 1);
  recorder.close();
  recorder.close();
  CHECK(error_of_void([&] { recorder.record("x", 1); }) ==
        "invalid_argument: " + run + ": the recorder is closed: found a record of 'x'.");
  CHECK(error_of_void([&] { ss::ActivationRecorder second(run); }) ==
        "cannot_write: " + run +
            ": the folder already holds a recording: expected a folder without one, found 1 "
            "segment. Choose another folder, or remove this one's segments.");
}

// It is put together from the records' nodes, not written from a Value.
TEST_CASE("a segment's text is what the schema's writer writes of it") {
  const Folder folder;
  {
    ss::ActivationRecorder recorder(folder / "run");
    recorder.step(std::numeric_limits<std::int64_t>::min());
    recorder.record("a\"b\\c\n \xC3\xA9 \"0\"", numbers(3, 0));
    recorder.step(12);
    recorder.record("0", Output{numbers(2, 1), std::nullopt, {{"0", {1}}}});
    recorder.record("text", std::string("{\"data_type\": \"str\", \"value\": \"0\"}"));
    recorder.record("nested", std::vector<std::vector<float>>{{1}, {2, 3}});
    recorder.close();
  }
  const std::filesystem::path segment = folder / "run" / "segment-000001.safetensors";
  const ss::safetensors::File file = ss::safetensors::File::open(segment);
  const auto stored = file.metadata(ss::schema::metadata_key);
  REQUIRE(stored.has_value());
  CHECK(*stored == ss::schema::write(ss::load_file(segment)).text);
  CHECK_NOTHROW(ss::verify_file(segment));
}
