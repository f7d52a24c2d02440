/// \file
/// Reads a burnpack file as a structure.
#pragma once

#include <memory>

#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::burnpack {

/// \throws Error
[[nodiscard]] Content read(const std::shared_ptr<const Source>& source, const LoadOptions& options);

}  // namespace safestructures::inline v0::burnpack
