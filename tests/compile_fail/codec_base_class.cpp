// error: a struct with a base class cannot be reflected
#include <safestructures/codecs/scalars.hpp>
#include <safestructures/codecs/structs.hpp>

struct Base {
  int first;
};
#ifdef SHOULD_FAIL
struct Derived : Base {
  int second;
};
#else
struct Derived {
  Base first;
  int second;
};
#endif

safestructures::Value save(const Derived& object) { return safestructures::Value::from(object); }
