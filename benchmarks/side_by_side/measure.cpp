#include "measure.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace bench {
namespace {

/// A line of /proc/self/status, such as `VmHWM:   1234 kB`, in bytes.
std::size_t status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  std::string word;
  while (file >> word) {
    if (word != name) continue;
    std::size_t kilobytes = 0;
    file >> kilobytes;
    return kilobytes * kib;
  }
  return 0;
}

}  // namespace

void warm_memory(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, "no memory to warm");
  madvise(memory, bytes, MADV_HUGEPAGE);
  auto* first = static_cast<volatile char*>(memory);
  for (std::size_t i = 0; i < bytes; i += 4 * kib) first[i] = 1;
  munmap(memory, bytes);
}

std::size_t reset_peak() {
  // 5: "reset the peak resident set size" (proc(5)).
  std::ofstream("/proc/self/clear_refs") << "5";
  return status("VmRSS:");
}

std::size_t peak_above(std::size_t before) {
  // Both are inaccurate (proc(5), VmRSS): less may be found than there was.
  return std::max(status("VmHWM:"), before) - before;
}

void print_result(std::int64_t nanoseconds, std::size_t peak_bytes) {
  std::printf("{\"ns\": %lld, \"peak\": %zu}\n", static_cast<long long>(nanoseconds), peak_bytes);
}

void require(bool fact, std::string_view what) {
  if (fact) return;
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  std::exit(1);
}

}  // namespace bench
