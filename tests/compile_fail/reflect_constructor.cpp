// error: this type is not an aggregate .*: list its members in Rules<T>, or write a Codec<T> for it
#include <safestructures/codecs/reflect.hpp>

struct Reflected {
#ifdef SHOULD_FAIL
  Reflected();
#endif
  int number;
};

static_assert(safestructures::field_count<Reflected> == 1);
