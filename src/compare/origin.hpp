/// \file
/// Which records make an error, and which pass on what came in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/recording/recording.hpp>

namespace safestructures::inline v0::comparing {

/// Says of the rows of recordings how their error is beside what went in, and names the culprits.
/// \param run the first recording, in whose order the rows are
void trace_errors(Comparison& comparison, const Recording& run);

/// Of a record that is the input of a layer the layer's name: `layer.0` of `layer.0.input`, of
/// `layer.0.inputs.mask`.
std::optional<std::string_view> layer_of_input(std::string_view record);

}  // namespace safestructures::inline v0::comparing
