/// \file
/// Headers that are made near the grammar, rather than bytes: each byte is a choice.
#pragma once

#include "fuzz/fuzz.hpp"
#include "support/header_maker.hpp"

namespace fuzz {

inline void headers(Bytes bytes) {
  Reader reader(bytes);
  const auto choose = [&](std::size_t n) -> std::size_t { return reader.byte() % n; };
  require(ss::test::reads_in_one_way(ss::test::HeaderMaker(choose).make()),
          "a header reads differently with a blank");
}

}  // namespace fuzz
