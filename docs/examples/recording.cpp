// The program of docs/recording.md.
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/recording/recover.hpp>
#include <safestructures/recording/verify_recording.hpp>
#include <safestructures/safestructures.hpp>
#include <safestructures/tools/statistics.hpp>

namespace ss = safestructures;

namespace {

std::vector<float> layer(const std::vector<float>& input, float scale) {
  std::vector<float> output;
  for (const float x : input) output.push_back(std::tanh(scale * x));
  return output;
}

void record_all(const std::filesystem::path& folder) {
  ss::ActivationRecorder recorder(folder);
  for (std::int64_t n = 0; n < 3; ++n) {
    recorder.step(n);
    std::vector<float> hidden(8, 0.1F * static_cast<float>(n));
    auto decoder = recorder.scope("decoder");
    for (int i = 0; i < 12; ++i) {
      auto scope = recorder.scope("layer" + std::to_string(i));
      hidden = layer(hidden, 1.5F);
      recorder.record("out", hidden);  // decoder.layer0.out, decoder.layer1.out, ...
    }
    recorder.record("logits", std::move(hidden));  // moved in: not even one copy
  }
  recorder.close();  // throws what went wrong
}

/// Answers requests on two threads at once.
void serve(const std::filesystem::path& folder) {
  ss::ActivationRecorder recorder(folder);
  const auto answer = [&](std::int64_t request) {
    const auto step = recorder.step_scope(request);  // of what this thread records
    recorder.record("out", layer({static_cast<float>(request)}, 1.5F));
  };
  std::thread other(answer, 1);
  answer(0);
  other.join();
  recorder.close();
}

bool read_all(const std::filesystem::path& folder) {
  ss::Recording run(folder);
  for (const ss::Record& record : run)  // in the order of the calls
    if (record.step() == 2) std::cout << record.name() << ' ' << record.tensor().shape()[0] << '\n';

  const ss::Record* out = run.find("decoder.layer10.out", 1);
  std::vector<float> values = out->as<std::vector<float>>();  // typed
  ss::Tensor tensor = out->tensor();                          // a view of the mapped file

  run.refresh();  // of a run that goes on: what was written meanwhile
  return values.size() == 8 && tensor.size() == 8 && run.select("*.out").size() == 36;
}

bool verify_all(const std::filesystem::path& folder) {
  const ss::VerifyRecordingReport found = ss::verify_recording(folder);
  for (const std::string& problem : found.problems) std::cerr << problem << '\n';
  if (found.is_fine()) std::cout << found.records << " records, " << found.bytes << " bytes\n";
  return found.is_fine() && found.is_closed && found.records == 39;
}

std::string record_some(const std::filesystem::path& folder) {
  const auto stop = [](const ss::WatchFinding& bad) {
    throw std::runtime_error(bad.name + bad.path + " in step " + std::to_string(bad.step));
  };
  ss::RecorderOptions options{
      .rules =
          {
              {.names = "*.mask", .keep = ss::Keep::none},
              {.names = "decoder.layer[0-3].*", .every = 10},  // every tenth step, whole
              {.names = "decoder.*", .keep = ss::Keep::statistics},
              {.names = R"(encoder\.\d+)",
               .regex = true,
               .precision = ss::Precision::f16,
               .first = 2},
              {.names = "logits", .keep = ss::Keep::slice, .slices = ss::parse_slices("-1, :16")},
          },
      .watch = {.found = stop, .magnitude = 65504},
      .when_full = ss::WhenFull::thin,
      .max_bytes = std::uint64_t{10} << 30U,
  };
  ss::ActivationRecorder recorder(folder, options);
  std::string found;
  try {
    recorder.record("decoder.layer7.out", std::vector<float>{1, 2});
    recorder.record("encoder.0", std::vector<float>{1, std::numeric_limits<float>::infinity()});
  } catch (const std::runtime_error& stopped) {
    found = stopped.what();
  }
  recorder.record("not.asked.for", 1);
  recorder.close();
  std::cout << ss::to_string(recorder.report()) << '\n';
  return found;
}

}  // namespace

int main() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "safestructures_recording";
  std::filesystem::remove_all(folder);
  record_all(folder / "run");
  bool is_right = read_all(folder / "run");
  serve(folder / "server");
  const ss::Recording server(folder / "server");
  is_right = is_right && server.find("out", 0) != nullptr && server.find("out", 1) != nullptr;
  is_right = is_right && record_some(folder / "some") == "encoder.0/ in step 0";
  const ss::RecoveryReport report = ss::recover_recording(folder / "run");
  is_right = is_right && report.is_clean() && ss::is_recording(folder / "run") &&
             verify_all(folder / "run");

  std::vector<float> values = {1, -2, 0};
  ss::TensorStatistics s = ss::statistics(ss::Tensor::of<float>(values));
  is_right =
      is_right && s.zeros == 1 && s.min == -2 && std::abs(s.l2_norm - std::sqrt(5.0)) < 1e-15;

  std::filesystem::remove_all(folder);
  std::cout << (is_right ? "ok\n" : "wrong\n");
  return is_right ? 0 : 1;
}
