/// \file
/// Reading the default format.
#pragma once

#include <memory>

#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::safestructures_format {

/// \throws Error of the container and the schema, with the path
Content read(const std::shared_ptr<const Source>& source, const LoadOptions& options);

}  // namespace safestructures::inline v0::safestructures_format
