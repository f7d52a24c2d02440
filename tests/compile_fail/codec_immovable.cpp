// error: cannot load this type, which cannot be moved, .* Load a type that can be moved
// absent: nobody would own|use of deleted function .*decode
#include <memory>

#include <safestructures/codecs/codecs.hpp>

struct Layer {
#ifdef SHOULD_FAIL
  const std::unique_ptr<int> first;
#else
  std::unique_ptr<int> first;
#endif
  int number;
};

Layer load(const safestructures::Value& value) { return value.as<Layer>(); }
