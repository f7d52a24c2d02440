// D1: comparing two files.
#include <safestructures/compare/compare.hpp>
#include <safestructures/safestructures.hpp>
#include "data.hpp"
#include "worker.hpp"

namespace bench {
namespace {

constexpr std::size_t count = 16;
constexpr std::size_t floats = 4 * mib;
constexpr std::size_t both = 2 * count * floats * sizeof(float);

void prepare(const Path& file) {
  Blocks all = blocks(count, floats);
  save(blocks(2, 8), all, file, both);
  ss::save_file(all, Path(file).concat(".equal"));
  for (std::vector<float>& one : all)
    for (float& number : one) number = number * 1.0001F + 0.01F;
  ss::save_file(all, Path(file).concat(".different"));
}

void compare(const Path& file, const char* with, ss::Verdict expected, bool suggest) {
  std::optional<ss::Comparison> found;
  measure(64 * mib, [&] {
    found.emplace(ss::compare_files(file, Path(file).concat(with), {.suggest = suggest}));
  });
  require(found->rows.size() == count && found->rows.back().verdict == expected,
          "the comparison found something else");
}
void compare_equal(const Path& file) { compare(file, ".equal", ss::Verdict::equal, true); }
void compare_different(const Path& file) {
  compare(file, ".different", ss::Verdict::different, true);
}
void compare_numbers(const Path& file) {
  compare(file, ".different", ss::Verdict::different, false);
}

constexpr Action actions[] = {
    {"D1", "prepare", prepare},
    {"D1", "equal", compare_equal},
    {"D1", "different", compare_different},
    {"D1", "numbers", compare_numbers},
};

}  // namespace

std::span<const Action> compare_actions() { return actions; }

}  // namespace bench
