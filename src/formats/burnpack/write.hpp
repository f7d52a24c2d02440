/// \file
/// Writes a structure as a burnpack file.
#pragma once

#include <safestructures/data/sink.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0::burnpack {

/// \throws Error
SaveReport write(const Value& root, Sink& sink, const SaveOptions& options);

}  // namespace safestructures::inline v0::burnpack
