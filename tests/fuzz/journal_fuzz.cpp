#include "fuzz/journal.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::journal(std::as_bytes(std::span(data, size)));
  return 0;
}
