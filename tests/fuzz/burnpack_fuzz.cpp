#include "fuzz/burnpack.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::burnpack(std::as_bytes(std::span(data, size)));
  return 0;
}
