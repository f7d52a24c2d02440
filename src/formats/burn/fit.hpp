/// \file
/// Adjusts records that name their fields to what only the loaded C++ type knows.
#pragma once

#include <optional>

#include <safestructures/data/precision.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include "formats/burn/record.hpp"

namespace safestructures::inline v0::burn {

/// Converts the values of a record to those that the codecs of its type take: bits to
/// half-precision numbers, variants to enums, and the F16 tensors that a half-precision record of
/// Burn 0.13 has for integers to integers. Tensors whose dtype the type leaves open are converted
/// to that of `precision`.
/// \param null_is_nan whether null stands for NaN where a float is expected, as in JSON
/// \throws Error `out_of_range`, with the path, for numbers that the precision cannot hold
void fit(Value& root, const TypeInfo& type, const RecordMetadata& metadata,
         const std::optional<Precision>& precision, const LoadOptions& options, bool null_is_nan);

}  // namespace safestructures::inline v0::burn
