/// \file
/// How much of a thread's stack is left: what bounds recursion where a depth alone cannot.
#pragma once

namespace safestructures::inline v0::platform {

/// Whether recursion must end here: less than 32 KiB of the calling thread's stack are left, or a
/// quarter of it where it is small. False where the stack is not the thread's own (a coroutine's)
/// or the system does not tell.
bool stack_is_low() noexcept;

}  // namespace safestructures::inline v0::platform
