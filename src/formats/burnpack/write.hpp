/// \file
/// Writes a structure as a burnpack file.
#pragma once

#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::burnpack {

/// \throws Error
SaveReport write(const Value& root, Sink& sink, const SaveOptions& options);

}  // namespace safestructures::inline v0::burnpack
