// Recordings of one size of record, made, compared and read: `sweep_records ACTION FOLDER BYTES
// COUNT DTYPE`, where BYTES is what a record takes as F32.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include <safestructures/recording/recording.hpp>
#include "least.hpp"
#include "recordings.hpp"
#include "runs.hpp"

namespace bench {
namespace {

struct Measured {
  std::string_view name;
  void (*run)(const Path& file, Size size);
};
constexpr std::array measured{Measured{"copy", copy_records},
                              Measured{"write", write_records},
                              Measured{"write_given", write_given_records},
                              Measured{"hot_path", record_hot_path},
                              Measured{"record", record_all},
                              Measured{"record_moved", record_moved},
                              Measured{"record_within_memory", record_within_memory},
                              Measured{"open", open_recording},
                              Measured{"find", find_record},
                              Measured{"least", compare_least},
                              Measured{"least_at_once", compare_least_at_once}};

void run(std::string_view action, const Path& folder, Size size, std::string_view dtype) {
  if (action == "prepare")
    return record_runs(folder, size, dtype == "f16" ? ss::Precision::f16 : ss::Precision::f32);
  if (action == "read") return read_runs(folder);
  if (action == "read_plainly") return read_runs_plainly(folder);
  if (action == "equal") return compare(folder, ".equal", size.count, ss::Verdict::equal, true);
  if (action == "different")
    return compare(folder, ".different", size.count, ss::Verdict::different, true);
  const auto* const found = std::ranges::find(measured, action, &Measured::name);
  if (found == measured.end()) throw std::invalid_argument("no such action");
  found->run(folder, size);
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  try {
    if (count != 6) throw std::invalid_argument("sweep_records ACTION FOLDER BYTES COUNT DTYPE");
    bench::run(words[1], words[2], {.count = std::stoul(words[4]), .bytes = std::stoul(words[3])},
               words[5]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
