/// \file
/// Attributes of values, for which Burn's files have no place.
#pragma once

#include <string_view>

#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0::burn {

/// Refuses attributes other than ids and those that only tell where the value came from, unless
/// extensions are to be left out.
/// \param what the format or part that cannot hold them, for the message
/// \throws Error `invalid_argument`
void check_attributes(std::string_view what, const Value& value, const SaveOptions& options,
                      const Trace* trace);

}  // namespace safestructures::inline v0::burn
