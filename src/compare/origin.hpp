/// \file
/// Which records make an error, and which pass on what came in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/compare/comparison.hpp>

namespace safestructures::inline v0::comparing {

/// Says of the rows of recordings how their error is beside what went in, and names the culprits.
/// \param threads of the first recording's records, by their sequence
void trace_errors(Comparison& comparison, const std::map<std::uint64_t, std::uint64_t>& threads);

/// Of a record that is the input of a layer the layer's name: `layer.0` of `layer.0.input`, of
/// `layer.0.inputs.mask`.
std::optional<std::string_view> layer_of_input(std::string_view record);

}  // namespace safestructures::inline v0::comparing
