/// \file
/// How much of a thread's stack is left, to bound recursion where a depth limit is not enough.
#pragma once

namespace safestructures::inline v0::platform {

/// Whether recursion must end here: less than 32 KiB of the calling thread's stack are left, or
/// less than a quarter of a small one. False if the stack is not the thread's own (a coroutine's),
/// or if the system does not tell.
bool stack_is_low() noexcept;

}  // namespace safestructures::inline v0::platform
