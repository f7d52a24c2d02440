/// \file
/// JSON as an output to which trees are written.
#pragma once

#include <memory>

#include <safestructures/data/sink.hpp>
#include <safestructures/formats/json.hpp>
#include "formats/tree/output.hpp"

namespace safestructures::inline v0::json {

/// \param sink must outlive the result
[[nodiscard]] std::unique_ptr<tree::Output> tree_output(Sink& sink, const JsonOptions& options);

}  // namespace safestructures::inline v0::json
