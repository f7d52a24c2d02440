// error: an alias in Rules<T> is already the name or an alias
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
      ss::fields(ss::field("w").alias("x"), ss::field("bias").alias("x"));
#else
  static constexpr auto fields =
      ss::fields(ss::field("w").alias("x"), ss::field("bias").alias("y"));
#endif
};

static_assert(ss::field_info<Layer>.size() == 3);
