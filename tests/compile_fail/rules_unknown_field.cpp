// error: a rule for a field that T does not have: ss::field.* takes .* name in C\+\+
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
  static constexpr auto fields = ss::fields(ss::field("weight"));
#else
  static constexpr auto fields = ss::fields(ss::field("w").rename("weight"));
#endif
};

static_assert(ss::field_info<Layer>.size() == 3);
