// error: gives a field more than max_aliases aliases
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
  static constexpr auto fields = ss::fields(ss::field("w")
                                                .alias("a")
                                                .alias("b")
                                                .alias("c")
                                                .alias("d")
                                                .alias("e")
                                                .alias("f")
                                                .alias("g")
                                                .alias("h")
                                                .alias("i"));
#else
  static constexpr auto fields = ss::fields(ss::field("w")
                                                .alias("a")
                                                .alias("b")
                                                .alias("c")
                                                .alias("d")
                                                .alias("e")
                                                .alias("f")
                                                .alias("g")
                                                .alias("h"));
#endif
};

static_assert(ss::field_info<Layer>.size() == 3);
