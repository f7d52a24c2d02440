#include "fuzz/grammar_files.hpp"
#include "fuzz/index.hpp"
#include "fuzz/mutator.hpp"

FUZZ_BY_GRAMMAR(fuzz::grammar::change_index)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::index(std::as_bytes(std::span(data, size)));
  return 0;
}
