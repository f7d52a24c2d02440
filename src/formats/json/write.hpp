/// \file
/// Writes a structure as JSON.
#pragma once

#include <safestructures/formats/json.hpp>

namespace safestructures::inline v0::json {

SaveReport write(const Value& root, Sink& sink, const SaveOptions& options,
                 const JsonOptions& json_options);

}  // namespace safestructures::inline v0::json
