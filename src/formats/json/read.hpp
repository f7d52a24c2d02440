/// \file
/// Reads a structure from JSON.
#pragma once

#include <memory>

#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::json {

Content read(const std::shared_ptr<const Source>& source, const LoadOptions& options);

}  // namespace safestructures::inline v0::json
