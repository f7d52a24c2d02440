// D1 and D2: comparing two files; of R1 to R3: comparing two recordings.
#include <vector>

#include <safestructures/safestructures.hpp>
#include "data.hpp"
#include "runs.hpp"
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

void compare_equal(const Path& file) { compare(file, ".equal", count, ss::Verdict::equal, true); }
void compare_different(const Path& file) {
  compare(file, ".different", count, ss::Verdict::different, true);
}
void compare_numbers(const Path& file) {
  compare(file, ".different", count, ss::Verdict::different, false);
}

template <Size size>
void prepare_runs(const Path& folder) {
  record_runs(folder, size, ss::Precision::f32);
}

template <Size size>
void compare_equal_runs(const Path& folder) {
  compare(folder, ".equal", size.count, ss::Verdict::equal, true);
}
template <Size size>
void compare_different_runs(const Path& folder) {
  compare(folder, ".different", size.count, ss::Verdict::different, true);
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
