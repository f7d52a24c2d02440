// error: write Rules<T>::fields as .static constexpr auto fields = ss::fields
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
  static constexpr auto fields = ss::field("w").skip();
#else
  static constexpr auto fields = ss::fields(ss::field("w").skip());
#endif
};

static_assert(ss::field_info<Layer>.size() == 3);
