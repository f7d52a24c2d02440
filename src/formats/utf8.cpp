#include "formats/utf8.hpp"

#include <simdjson.h>

namespace safestructures::inline v0::detail {
namespace {

// simdjson looks at the processor when it is first used, and takes memory where it may not throw: a
// load that runs out of it there ended the program. So it does when the program starts, in 30 us.
// What it chose it destroys in the end: made before all static objects, behind all of them, whose
// destructors may load.
[[gnu::constructor(101)]] void choose() {
  static_cast<void>(simdjson::get_active_implementation()->name().size());
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  return simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace safestructures::inline v0::detail
