// error: Rules<T>::name is empty: leave it out
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
  static constexpr std::string_view name = "";
#else
  static constexpr std::string_view name = "acme.Layer";
#endif
};

static_assert(ss::class_name<Layer> == "acme.Layer");
