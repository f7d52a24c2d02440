/// \file
/// Writes the elements of a tensor as JSON.
#pragma once

#include <safestructures/data/convert.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/formats/json.hpp>
#include "formats/json/output.hpp"

namespace safestructures::json {

/// Writes the elements in a dtype, block by block, so that neither a deferred tensor nor its text
/// is ever in memory as a whole. \returns what the conversion did
ConversionReport write_elements(Output& out, const Tensor& tensor, DType dtype, Overflow overflow,
                                JsonTensors form);

/// The digits of bytes, in quotes.
void write_base64(Output& out, const Tensor& bytes);

}  // namespace safestructures::json
