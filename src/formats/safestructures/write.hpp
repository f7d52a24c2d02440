/// \file
/// Writes the default format.
#pragma once

#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::safestructures_format {

/// \throws Error as `Format::write`
SaveReport write(const Value& root, Sink& sink, const SaveOptions& options);

}  // namespace safestructures::inline v0::safestructures_format
