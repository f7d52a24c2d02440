/// \file
/// Writes the default format.
#pragma once

#include <safestructures/data/sink.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0::safestructures_format {

/// \throws Error as `Format::write`
SaveReport write(const Value& root, Sink& sink, const SaveOptions& options);

}  // namespace safestructures::inline v0::safestructures_format
