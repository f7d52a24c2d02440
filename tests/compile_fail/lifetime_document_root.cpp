// error: (deleted|dangl)
#include <cstddef>
#include <span>
#include <string_view>

#include <safestructures/tools/document.hpp>

namespace ss = safestructures;

bool is_dict() {
#ifdef SHOULD_FAIL
  const ss::Value& root = ss::open("f").root();
  return root.is_mapping();
#else
  const ss::Document document = ss::open("f");
  const ss::Value& root = document.root();
  return root.is_mapping();
#endif
}
