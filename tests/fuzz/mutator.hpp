/// \file
/// The grammar as libFuzzer's own mutator: of sixteen changes one is of bytes, the others are of
/// trees.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/grammar.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace fuzz {

/// Changes `input` in one place; `other` is another input, or empty.
using Change = void (*)(std::string& input, grammar::Random& random, std::string_view other);

inline std::size_t put(const std::string& input, std::uint8_t* out, std::size_t most) {
  if (input.size() > most) return 0;
  std::copy(input.begin(), input.end(), out);
  return input.size();
}

inline std::size_t mutated(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                           Change change) {
  grammar::Random random(seed);
  if (random.one_in(16)) return LLVMFuzzerMutate(data, size, most);
  std::string input(reinterpret_cast<const char*>(data), size);
  do change(input, random, {});
  while (random.one_in(3));
  const std::size_t changed = put(input, data, most);
  return changed > 0 ? changed : LLVMFuzzerMutate(data, size, most);
}

inline std::size_t crossed(const std::uint8_t* data, std::size_t size, const std::uint8_t* other,
                           std::size_t other_size, std::uint8_t* out, std::size_t most,
                           unsigned seed, Change change) {
  grammar::Random random(seed);
  std::string input(reinterpret_cast<const char*>(data), size);
  do change(input, random, {reinterpret_cast<const char*>(other), other_size});
  while (random.one_in(2));
  return put(input, out, most);
}

}  // namespace fuzz

/// What libFuzzer calls by name.
#define FUZZ_BY_GRAMMAR(change)                                                        \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, \
                                                 std::size_t most, unsigned seed) {    \
    return fuzz::mutated(data, size, most, seed, change);                              \
  }                                                                                    \
  extern "C" std::size_t LLVMFuzzerCustomCrossOver(                                    \
      const std::uint8_t* data, std::size_t size, const std::uint8_t* other,           \
      std::size_t other_size, std::uint8_t* out, std::size_t most, unsigned seed) {    \
    return fuzz::crossed(data, size, other, other_size, out, most, seed, change);      \
  }
