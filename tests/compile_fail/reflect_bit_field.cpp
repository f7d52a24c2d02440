// error: a bit-field, a reference, .* cannot be reflected|bind (bit-field|to bit-field)
// The second form is what Boost 1.83 and later make of it.
#include <safestructures/codecs/reflect.hpp>

struct Reflected {
#ifdef SHOULD_FAIL
  int first : 3;
#else
  int first;
#endif
  int number;
};

static_assert(safestructures::field_count<Reflected> == 2);
