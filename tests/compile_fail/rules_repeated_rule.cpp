// error: has two rules for one field: join them
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
  static constexpr auto fields =
      ss::fields(ss::field("w").rename("weight"), ss::field("w").optional());
#else
  static constexpr auto fields = ss::fields(ss::field("w").rename("weight").optional());
#endif
};

static_assert(ss::field_info<Layer>.size() == 3);
