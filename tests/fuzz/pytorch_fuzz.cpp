#include "fuzz/pytorch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::pytorch(std::as_bytes(std::span(data, size)));
  return 0;
}
