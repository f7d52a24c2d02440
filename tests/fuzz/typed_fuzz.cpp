#include "fuzz/grammar_files.hpp"
#include "fuzz/mutator.hpp"
#include "fuzz/typed.hpp"

FUZZ_BY_GRAMMAR(fuzz::grammar::change_typed)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::typed(std::as_bytes(std::span(data, size)));
  return 0;
}
