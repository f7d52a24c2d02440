/// \file
/// Reads the default format.
#pragma once

#include <memory>

#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::safestructures_format {

/// \throws Error for a fault in the container or the schema, with the path
Content read(const std::shared_ptr<const Source>& source, const LoadOptions& options);

}  // namespace safestructures::inline v0::safestructures_format
