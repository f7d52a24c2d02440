// D1 and D2: comparing two files; of R1 to R3: comparing two recordings.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include "data.hpp"
#include "worker.hpp"

namespace bench {
namespace {

constexpr std::size_t count = 16;
constexpr std::size_t floats = 4 * mib;
constexpr std::size_t both = 2 * count * floats * sizeof(float);

void part(std::vector<float>& numbers) {
  for (float& number : numbers) number = number * 1.0001F + 0.01F;
}

void prepare_flat(const Path& file) {
  Blocks all = blocks(count, floats);
  save(blocks(2, 8), all, file, both);
  ss::save_file(all, Path(file).concat(".equal"));
  for (std::vector<float>& one : all) part(one);
  ss::save_file(all, Path(file).concat(".different"));
}

/// Batches of rows, which have more patterns to look for.
void prepare_batches(const Path& file) {
  const auto batches = [](const Blocks& all) {
    std::vector<ss::Tensor> made;
    for (const std::vector<float>& one : all)
      made.push_back(ss::Tensor::of(std::span(one), {32, 128, 1024}));
    return made;
  };
  Blocks all = blocks(count, floats);
  save(batches(blocks(0, 0)), batches(all), file, both);
  for (std::vector<float>& one : all) part(one);
  ss::save_file(batches(all), Path(file).concat(".different"));
}

void compare(const Path& file, const char* with, std::size_t rows, ss::Verdict last, bool suggest) {
  std::optional<ss::Comparison> found;
  // What 100,000 records and their rows take.
  measure(512 * mib, [&] {
    found.emplace(ss::compare_files(file, Path(file).concat(with), {.suggest = suggest}));
  });
  require(found->rows.size() == rows && found->rows.verdict(rows - 1) == last,
          "the comparison found something else");
}
void compare_equal(const Path& file) { compare(file, ".equal", count, ss::Verdict::equal, true); }
void compare_different(const Path& file) {
  compare(file, ".different", count, ss::Verdict::different, true);
}
void compare_numbers(const Path& file) {
  compare(file, ".different", count, ss::Verdict::different, false);
}

constexpr std::size_t layers = 100;

/// A model whose layers from the middle on give something else.
void record_run(const Path& folder, Size size, bool is_different) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Blocks outputs(layers, std::vector<float>(size.bytes / sizeof(float)));
  for (std::size_t layer = 0; layer < layers; ++layer)
    for (float& number : outputs[layer]) {
      number = normal(random);
      const float noise = normal(random);
      if (is_different && layer >= layers / 2) number += 0.01F * noise;
    }
  ss::ActivationRecorder recorder(folder);
  for (std::size_t i = 0; i < size.count; ++i) {
    if (i % layers == 0) recorder.step(static_cast<std::int64_t>(i / layers));
    recorder.record("layer" + std::to_string(i % layers), outputs[i % layers]);
  }
  recorder.close();
}

template <Size size>
void prepare_runs(const Path& folder) {
  measure(4 * size.all(), [&] {
    record_run(folder, size, false);
    record_run(Path(folder).concat(".equal"), size, false);
    record_run(Path(folder).concat(".different"), size, true);
  });
}

template <Size size>
void compare_equal_runs(const Path& folder) {
  compare(folder, ".equal", size.count, ss::Verdict::equal, true);
}
template <Size size>
void compare_different_runs(const Path& folder) {
  compare(folder, ".different", size.count, ss::Verdict::different, true);
}

/// All bytes of two recordings, into huge pages.
void read_runs(const Path& folder) {
  std::vector<Path> files;
  for (const Path& one : {folder, Path(folder).concat(".different")})
    for (const auto& entry : std::filesystem::directory_iterator(one))
      files.push_back(entry.path());
  std::size_t size = 0;
  for (const Path& file : files) size += std::filesystem::file_size(file);
  measure(size, [&] {
    constexpr std::size_t page = 2 * mib;
    const std::size_t space = (size / page + 1) * page;
    const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(page, space),
                                                             std::free);
    ::madvise(memory.get(), space, MADV_HUGEPAGE);
    auto* to = static_cast<std::byte*>(memory.get());
    for (const Path& file : files) {
      const int from = ::open(file.c_str(), O_RDONLY);
      for (ssize_t got = 0; (got = ::read(from, to, 16 * mib)) > 0;) to += got;
      ::close(from);
    }
    require(to == static_cast<std::byte*>(memory.get()) + size, "cannot read");
  });
}

constexpr Action actions[] = {
    {"D1", "prepare", prepare_flat},
    {"D1", "equal", compare_equal},
    {"D1", "different", compare_different},
    {"D1", "numbers", compare_numbers},
    {"D2", "prepare", prepare_batches},
    {"D2", "different", compare_different},
    {"D2", "numbers", compare_numbers},
    {"R1", "prepare_runs", prepare_runs<r1>},
    {"R1", "compare_equal", compare_equal_runs<r1>},
    {"R1", "compare_different", compare_different_runs<r1>},
    {"R1", "read_runs", read_runs},
    {"R2", "prepare_runs", prepare_runs<r2>},
    {"R2", "compare_equal", compare_equal_runs<r2>},
    {"R2", "compare_different", compare_different_runs<r2>},
    {"R2", "read_runs", read_runs},
    {"R3", "prepare_runs", prepare_runs<r3>},
    {"R3", "compare_equal", compare_equal_runs<r3>},
    {"R3", "compare_different", compare_different_runs<r3>},
    {"R3", "read_runs", read_runs},
};

}  // namespace

std::span<const Action> compare_actions() { return actions; }

}  // namespace bench
