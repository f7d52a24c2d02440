// error: the fields of this struct cannot be counted, because of a reference.*a Codec<T>
#include <safestructures/codecs/reflect.hpp>

struct Reflected {
#ifdef SHOULD_FAIL
  int& first;
#else
  int first;
#endif
  int number;
};

static_assert(safestructures::field_count<Reflected> == 2);
