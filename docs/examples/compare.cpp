// The program of docs/compare.md.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>

namespace ss = safestructures;

namespace {

struct Model {
  std::vector<float> weight;
  std::vector<float> bias;
};

// A run of three layers; the second has a fault.
void record(const std::filesystem::path& folder, float fault) {
  ss::ActivationRecorder recorder(folder);
  std::vector<float> state = {0.5F, 1, -2, 4};
  for (int layer = 0; layer < 3; ++layer) {
    for (float& number : state) number = number * 1.5F + 0.25F;
    if (layer == 1) state[3] *= fault;
    recorder.record("layer." + std::to_string(layer), state);
  }
  recorder.close();
}

}  // namespace

int main() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "safestructures_compare";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::filesystem::path ours = folder / "ours.safetensors";
  const std::filesystem::path theirs = folder / "theirs.safetensors";
  ss::save_file(Model{{1, 2, 3.01F}, {0}}, ours);
  ss::save_file(Model{{1, 2, 3}, {0}}, theirs);

  const ss::Comparison found = ss::compare_files(ours, theirs);
  if (!found.is_equal()) found.write_text(std::cout);

  // Looser for weights, as a run in half precision needs it.
  const bool is_near =
      ss::compare_files(ours, theirs, {.tolerances = {{"*/weight", {.rtol = 0.01, .atol = 1e-6}}}})
          .is_equal();

  struct Exact {
    std::vector<double> weight;
    std::vector<double> bias;
  };
  const std::filesystem::path exact = folder / "exact.safetensors";
  ss::save_file(Exact{{1, 2, 3}, {0}}, exact);
  // The reference again in double precision: what its rounding explains is no error.
  const ss::Comparison measured = ss::compare_files(ours, theirs, {.noise = {exact}});
  const bool is_measured = measured.differences() == 1 && measured.coverage.without_noise == 0;

  // What is known to differ.
  const ss::Comparison rest = ss::compare_files(ours, theirs, {.ignore = {"*/weight"}});

  record(folder / "run-cpp", 1.02F);
  record(folder / "run-python", 1);
  const ss::Comparison runs = ss::compare_files(folder / "run-cpp", folder / "run-python");
  const ss::ComparisonRow* const first = runs.first_divergence();
  runs.write_text(std::cout, {.order = ss::RowOrder::call});

  const bool is_right =
      is_near && is_measured && rest.is_equal() && first != nullptr && first->path == "layer.1";
  std::filesystem::remove_all(folder);
  std::cout << (is_right ? "ok\n" : "wrong\n");
  return is_right ? 0 : 1;
}
