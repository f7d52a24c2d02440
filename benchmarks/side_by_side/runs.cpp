#include "runs.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <safestructures/recording/recorder.hpp>
#include "data.hpp"

namespace bench {
namespace {

constexpr std::size_t run_layers = 100;
// The same for all, since it empties the caches.
constexpr std::size_t touched_before = 512 * mib;

/// A model whose layers from the middle on give something else.
void record_run(const Path& folder, Size size, ss::Precision precision, bool is_different) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Blocks outputs(run_layers, std::vector<float>(size.bytes / sizeof(float)));
  for (std::size_t layer = 0; layer < run_layers; ++layer)
    for (float& number : outputs[layer]) {
      number = normal(random);
      const float noise = normal(random);
      if (is_different && layer >= run_layers / 2) number += 0.01F * noise;
    }
  ss::ActivationRecorder recorder(folder, {.precision = precision});
  for (std::size_t i = 0; i < size.count; ++i) {
    if (i % run_layers == 0) recorder.step(static_cast<std::int64_t>(i / run_layers));
    recorder.record("layer" + std::to_string(i % run_layers), outputs[i % run_layers]);
  }
  recorder.close();
}

struct Files {
  std::vector<Path> paths;
  std::size_t size = 0;  // Of all together.
};

Files files_of_runs(const Path& folder) {
  Files files;
  for (const Path& one : {folder, Path(folder).concat(".different")})
    for (const auto& entry : std::filesystem::directory_iterator(one))
      files.paths.push_back(entry.path());
  for (const Path& file : files.paths) files.size += std::filesystem::file_size(file);
  return files;
}

void read_all(const Files& files, std::byte* to) {
  const std::byte* const begin = to;
  for (const Path& file : files.paths) {
    const int from = ::open(file.c_str(), O_RDONLY);
    for (ssize_t got = 0; (got = ::read(from, to, 16 * mib)) > 0;) to += got;
    ::close(from);
  }
  require(to == begin + files.size, "cannot read");
}

/// As `safestructures diff` does.
ss::Comparison compare_and_tell(const Path& a, const Path& b, bool suggest) {
  ss::Comparison found = ss::compare_files(a, b, {.suggest = suggest});
  std::ostringstream table;
  found.write_text(table);
  keep(table);
  return found;
}

/// Runs the code once, as everything is that is measured.
void compare_small(const Path& file) {
  const Path folder = small_file(file);
  std::filesystem::create_directories(folder);
  for (const float number : {1.0F, 2.0F}) {
    ss::ActivationRecorder recorder(folder / std::to_string(number));
    for (std::size_t i = 0; i < 2 * run_layers; ++i)
      recorder.record("layer" + std::to_string(i % run_layers), std::vector<float>(8, number));
    recorder.close();
  }
  keep(compare_and_tell(folder / std::to_string(1.0F), folder / std::to_string(2.0F), true));
  std::filesystem::remove_all(folder);
}

}  // namespace

void record_runs(const Path& folder, Size size, ss::Precision precision) {
  measure(4 * size.all(), [&] {
    record_run(folder, size, precision, false);
    record_run(Path(folder).concat(".equal"), size, precision, false);
    record_run(Path(folder).concat(".different"), size, precision, true);
  });
}

std::size_t different_records(Size size) {
  const std::size_t rest = size.count % run_layers;
  return size.count / run_layers * (run_layers / 2) +
         (rest > run_layers / 2 ? rest - run_layers / 2 : 0);
}

void compare(const Path& file, const char* with, std::size_t rows, ss::Verdict last, bool suggest) {
  compare_small(file);
  std::optional<ss::Comparison> found;
  measure(touched_before,
          [&] { found.emplace(compare_and_tell(file, Path(file).concat(with), suggest)); });
  require(found->rows.size() == rows && found->rows.verdict(rows - 1) == last,
          "the comparison found something else");
}

void read_runs(const Path& folder) {
  const Files files = files_of_runs(folder);
  measure(touched_before, [&] {
    constexpr std::size_t page = 2 * mib;
    const std::size_t space = (files.size / page + 1) * page;
    const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(page, space),
                                                             std::free);
    ::madvise(memory.get(), space, MADV_HUGEPAGE);
    read_all(files, static_cast<std::byte*>(memory.get()));
  });
}

void read_runs_plainly(const Path& folder) {
  const Files files = files_of_runs(folder);
  measure(touched_before, [&] {
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(files.size);
    read_all(files, memory.get());
  });
}

}  // namespace bench
