/// \file
/// What no comparison of two recordings can do without.
#pragma once

#include "worker.hpp"

namespace bench {

/// Measures the least: the bytes of the records of a run and of the one that differs are read, in
/// pieces that stay in the cache; the largest difference and three sums are found; as much as our
/// rows and metrics take is written to fresh memory. Nothing is opened as a recording, paired,
/// ranked or told of.
/// @{
void compare_least(const Path& folder, Size size);
/// On two threads.
void compare_least_at_once(const Path& folder, Size size);
/// @}

}  // namespace bench
