// error: (deleted|dangl)
#include <cstddef>
#include <span>
#include <string_view>

#include <safestructures/tools/document.hpp>

namespace ss = safestructures;

bool has_schema() {
#ifdef SHOULD_FAIL
  const std::string_view schema = ss::open("f").schema();
  return !schema.empty();
#else
  const ss::Document document = ss::open("f");
  const std::string_view schema = document.schema();
  return !schema.empty();
#endif
}
