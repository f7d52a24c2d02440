// error: safestructures cannot describe this type
#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/type_info.hpp>

namespace ss = safestructures;

class Closed {
  int x_ = 0;
};

#ifdef SHOULD_FAIL
using Asked = Closed;
#else
using Asked = int;
#endif

const ss::TypeInfo& ask() { return ss::type_info<Asked>(); }
