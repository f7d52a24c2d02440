// error: a bit-field, a reference, .* cannot be reflected: make it an ordinary member
#include <safestructures/codecs/reflect.hpp>

struct Reflected {
#ifdef SHOULD_FAIL
  const int& first;
#else
  const int first;
#endif
  int number;
};

static_assert(safestructures::field_count<Reflected> == 2);
