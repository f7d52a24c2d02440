#include "fuzz/runs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::runs(std::as_bytes(std::span(data, size)));
  return 0;
}
