/// \file
/// What stands beside a value, for which the files of Burn have no place.
#pragma once

#include <string_view>

#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0::burn {

/// Refuses attributes but for the ids and what only says from where the value came, unless
/// extensions are to be left out. \param what cannot hold them, in the message
/// \throws Error `invalid_argument`
void check_attributes(std::string_view what, const Value& value, const SaveOptions& options,
                      const Trace* trace);

}  // namespace safestructures::inline v0::burn
