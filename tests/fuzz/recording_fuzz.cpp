#include "fuzz/grammar_files.hpp"
#include "fuzz/mutator.hpp"
#include "fuzz/recording.hpp"

FUZZ_BY_GRAMMAR(fuzz::grammar::change_document)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::recording(std::as_bytes(std::span(data, size)));
  return 0;
}
