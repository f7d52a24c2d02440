#include "formats/fast_utf8.hpp"

#include <simdjson.h>

namespace safestructures::inline v0::detail {
namespace {

// simdjson detects the processor on first use and allocates memory in a noexcept function: a load
// that ran out of memory there ended the program. So it is made to do so at program start, in 30
// us. simdjson destroys what it chose at exit; because that is made before all static objects, it
// is destroyed after them, so their destructors may load.
[[gnu::constructor(101)]] void choose() {
  static_cast<void>(simdjson::get_active_implementation()->name().size());
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  return simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace safestructures::inline v0::detail
