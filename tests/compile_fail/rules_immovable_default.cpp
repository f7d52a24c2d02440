// error: but the field cannot be moved: write a Codec<T> for the struct
#include <safestructures/codecs/rules.hpp>

namespace ss = safestructures;

struct Field {
  Field() = default;
#ifdef SHOULD_FAIL
  Field(const Field&) = delete;
#endif
};

struct Layer {
  Field field;
};

void use() { static_cast<void>(ss::default_value<Layer, 0>()); }
