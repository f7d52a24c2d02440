#include "fuzz/numpy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::numpy(std::as_bytes(std::span(data, size)));
  return 0;
}
