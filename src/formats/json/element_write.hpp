/// \file
/// Writes the elements of a tensor as JSON.
#pragma once

#include <safestructures/data/tensor.hpp>
#include <safestructures/formats/json.hpp>
#include "formats/json/output.hpp"
#include "formats/lossy.hpp"

namespace safestructures::inline v0::json {

/// Writes the elements block by block, so that neither a deferred tensor nor its text is ever
/// entirely in memory.
void write_elements(Output& out, detail::StoredElements& elements, JsonTensors form);

/// Writes bytes as base64, in quotes.
void write_base64(Output& out, const Tensor& bytes);

}  // namespace safestructures::inline v0::json
