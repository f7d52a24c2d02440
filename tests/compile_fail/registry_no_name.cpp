// error: the codec of this type has no type_name: give the name in files
#include <safestructures/codecs/codecs.hpp>

namespace ss = safestructures;

struct Point {
  int x = 0;
};

void add(ss::Registry& registry) {
#ifdef SHOULD_FAIL
  registry.add<Point>();
#else
  registry.add<Point>("acme.Point");
#endif
}
