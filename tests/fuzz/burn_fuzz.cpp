#include "fuzz/burn.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::burn_records(std::as_bytes(std::span(data, size)));
  return 0;
}
