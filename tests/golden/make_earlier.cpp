// Writes the golden files of the version that it is compiled with: make_earlier FOLDER. See
// make_earlier.sh.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/earlier_files.hpp"

namespace ss = safestructures;
namespace fs = std::filesystem;

namespace {

void save_structures(const fs::path& folder) {
  const ss::SaveOptions options{.metadata = {{"run", "42"}}, .precision = ss::Precision::preserve};
  const earlier::Everything everything;
  for (const std::string name : {"safetensors", "json", "msgpack", "cbor", "json.gz"}) {
    ss::save_file(everything, folder / ("everything." + name), options);
    ss::save_file(earlier::every_dtype(), folder / ("dtypes." + name), options);
  }
  ss::save_file(
      everything, folder / "sums.safetensors",
      {.precision = ss::Precision::f16, .overflow = ss::Overflow::allow, .checksums = true});
  ss::save_file(everything, folder / "numbers.safetensors",
                {.tensor_names = ss::TensorNames::numbers});
  const std::map<std::string, std::vector<float>> weights = {{"a.0", {1, 2}}, {"a.1", {3, 4}}};
  ss::save_file(weights, folder / "plain.safetensors", {.schema = false});
  ss::save_file(weights, folder / "shards.safetensors", {.checksums = true, .shard_size = 8});
}

void save_burn(const fs::path& folder) {
  namespace burn = ss::burn;
  const earlier::Module module = earlier::Module::filled();
  for (const auto& [version, name] : earlier::burn_versions) {
    const burn::RecorderOptions options{.burn_version = version};
    burn::NamedMpkFileRecorder<>(options).record(module, folder / name);
    burn::BinFileRecorder<>(options).record(module, folder / name);
    burn::PrettyJsonFileRecorder<burn::HalfPrecisionSettings>(options).record(module,
                                                                              folder / name);
  }
  ss::Value pack = ss::Value::dict();
  pack.insert(std::string("weight"), module.linear.weight.value);
  pack.insert(std::string("count"), 3);
  ss::save_file(pack, folder / "model.bpk");
}

/// A run that was closed, in two segments, and one whose process was killed.
void record(const fs::path& folder) {
  ss::ActivationRecorder closed(folder / "closed", earlier::recorder_options(4096));
  earlier::record_steps(closed);
  closed.close();
  const pid_t child = ::fork();
  if (child == 0) {
    ss::ActivationRecorder killed(folder / "killed", earlier::recorder_options(1U << 20U));
    earlier::record_steps(killed);
    killed.flush();
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
}

}  // namespace

int main(int, char** arguments) {
  const fs::path folder = arguments[1];
  fs::create_directories(folder);
  save_structures(folder);
  save_burn(folder);
  record(folder);
}
