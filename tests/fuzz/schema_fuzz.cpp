#include "fuzz/grammar_files.hpp"
#include "fuzz/mutator.hpp"
#include "fuzz/schema.hpp"

FUZZ_BY_GRAMMAR(fuzz::grammar::change_schema_text)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::schema(std::as_bytes(std::span(data, size)));
  return 0;
}
