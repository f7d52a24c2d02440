/// \file
/// Reading many small pieces of a file.
#pragma once

#include <memory>

#include <safestructures/data/source.hpp>

namespace safestructures::inline v0::recording {

/// The same source, of which small pieces are read together with what is around them, 256 KiB at a
/// time, and kept for those that follow, up to 4 MiB; the first three pieces there alone, since
/// they may be all. For pieces that lie side by side, such as rows of one tensor: of samples of
/// large tensors, which lie far apart, it would read everything.
[[nodiscard]] std::shared_ptr<const Source> for_small_reads(std::shared_ptr<const Source> source);

}  // namespace safestructures::inline v0::recording
