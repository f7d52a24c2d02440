// error: has an empty name or alias: a field needs a name in the file
#include <safestructures/codecs/rules.hpp>

namespace ss = safestructures;

struct Layer {
  int w = 1;
  int bias = 2;
  int cache = 3;
};

template <>
struct ss::Rules<Layer> {
#ifdef SHOULD_FAIL
  static constexpr auto fields = ss::fields(ss::field("w").rename(""));
#else
  static constexpr auto fields = ss::fields(ss::field("w").rename("_"));
#endif
};

static_assert(ss::field_info<Layer>.size() == 3);
