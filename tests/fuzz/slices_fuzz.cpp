#include "fuzz/slices.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::slices(std::as_bytes(std::span(data, size)));
  return 0;
}
