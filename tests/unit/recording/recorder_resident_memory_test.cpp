/// \file
/// A recorder's process takes no more memory than the recorder may, whatever the sizes of records.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>

#include "support/folder.hpp"

namespace {

namespace ss = safestructures;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
constexpr std::size_t largest = 3'000'000;  // Of floats.

/// Returns a size from /proc/self/status in bytes; 0 if it is not there.
std::uint64_t status_of(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t size = 0;
    if (word == name + ":" && status >> size) return size * 1024;
  }
  return 0;
}

/// Makes the most that was resident what is resident now. \returns false if the system cannot
bool forget_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << '5' << std::flush;
  return file.good();
}

}  // namespace

TEST_CASE("records of any sizes take no more memory of the process than they may") {
  const ss::Tensor source = ss::Tensor::own(std::vector<float>(largest, 1));
  for (const ss::Precision& precision : {ss::Precision::preserve, ss::Precision::f16}) {
    CAPTURE(precision.floats.has_value());
    const ss::RecorderOptions options{.precision = precision, .memory = 32 * mebibyte};
    const ss::test::Folder folder;
    const std::uint64_t before = status_of("VmRSS");
    if (before == 0 || !forget_peak()) {
      MESSAGE("This system does not tell how much memory was resident.");
      return;
    }
    {
      ss::ActivationRecorder recorder(folder / "run", options);
      std::mt19937 random(1);
      for (int i = 0; i < 60; ++i) {
        const std::string size = std::to_string(1 + random() % largest);
        const ss::Tensor part = source.slice(ss::parse_slices(":" + size));
        recorder.record("out", part);
      }
    }
    // The header's data are small here. While a record is converted, it is there twice.
    const std::uint64_t most = options.memory + options.memory / 8 + 25 * mebibyte;
    CHECK(status_of("VmHWM") < before + most);
  }
}
