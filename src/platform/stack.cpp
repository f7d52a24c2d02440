#include "platform/stack.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "platform/os.hpp"

namespace safestructures::inline v0::platform {

bool stack_is_low() noexcept {
  // For whatever is called at the deepest level: reading a number, a system call, throwing an
  // exception.
  constexpr std::size_t reserve = std::size_t{32} << 10U;
  // Determined once: in the main thread, glibc reads /proc/self/maps for it.
  thread_local const os::Stack stack = os::stack_of_this_thread();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (here < stack.lowest || here - stack.lowest >= stack.size) return false;
  return here - stack.lowest < std::min(reserve, stack.size / 4);
}

}  // namespace safestructures::inline v0::platform
