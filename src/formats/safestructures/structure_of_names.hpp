/// \file
/// Structures that are not spelled out in a schema.
#pragma once

#include <safestructures/data/value.hpp>
#include <safestructures/formats/safetensors/reader.hpp>

namespace safestructures {

/// The structure that the names of a plain safetensors file suggest: each dot is a step down, and a
/// level whose steps are 0, 1, ... n-1 is a list. A name that goes on below another tensor's
/// (`a` and `a.b`) keeps its dots from there on.
/// \throws Error `limit_exceeded` for names with more steps than `limits.depth`.
Value structure_of_names(const safetensors::File& file, const Limits& limits);

}  // namespace safestructures
