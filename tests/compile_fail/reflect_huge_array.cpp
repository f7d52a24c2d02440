// error: more fields than can be reflected, or a C array of hundreds.*: use std::array
#include <array>

#include <safestructures/codecs/reflect.hpp>

struct Reflected {
#ifdef SHOULD_FAIL
  char first[100000];
#else
  std::array<char, 100000> first;
#endif
  int number;
};

static_assert(safestructures::field_count<Reflected> == 2);
