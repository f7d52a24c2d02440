/// \file
/// Reads many small pieces of a file efficiently.
#pragma once

#include <memory>

#include <safestructures/data/source.hpp>

namespace safestructures::inline v0::recording {

/// Wraps a source so that small pieces are read together with what is around them, 256 KiB at a
/// time, and cached, up to 4 MiB; the first three pieces of a window are read alone, since there
/// may be no more. For adjacent pieces, such as rows of one tensor: for samples of large tensors,
/// which are far apart, it would read everything.
[[nodiscard]] std::shared_ptr<const Source> for_small_reads(std::shared_ptr<const Source> source);

}  // namespace safestructures::inline v0::recording
