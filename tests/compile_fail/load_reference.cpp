// error: load an object, not a reference or a C array: in place of a T& the T
#include <safestructures/codecs/scalars.hpp>
#include <safestructures/tools/load.hpp>

#ifdef SHOULD_FAIL
using Number = int&;
#else
using Number = int;
#endif

void load() { static_cast<void>(safestructures::load_file<Number>("number.safetensors")); }
