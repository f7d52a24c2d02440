// error: a struct with a base class cannot be reflected: make the base a member, list the members
// in Rules<T>, or write
#include <safestructures/codecs/reflect.hpp>

struct Base {
  int inherited;
};

#ifdef SHOULD_FAIL
struct Reflected : Base {
#else
struct Reflected {
  Base base;
#endif
  int number;
};

static_assert(safestructures::field_count<Reflected> == 2);
