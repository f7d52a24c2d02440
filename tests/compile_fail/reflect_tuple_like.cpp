// error: this type has a std::tuple_size, .* cannot be reflected: list them in Rules<T>, or write a
// Codec<T>
#include <array>
#include <safestructures/codecs/reflect.hpp>

#ifdef SHOULD_FAIL
using Reflected = std::array<int, 1>;
#else
struct Reflected {
  std::array<int, 1> values;
};
#endif

static_assert(safestructures::field_count<Reflected> == 1);
