/// \file
/// What the C++ type says that is loaded, and a record that names its fields does not.
#pragma once

#include <optional>

#include <safestructures/data/precision.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include "formats/burn/record.hpp"

namespace safestructures::inline v0::burn {

/// Makes of a record what its type's codecs take: half-precision numbers of their bits, enums of
/// their variants, integers of what a half-precision record of Burn 0.13 has for them. Tensors
/// whose dtype the type leaves open become those of `precision`.
/// \param null_is_nan whether null stands for NaN where a float is wanted, as in JSON
/// \throws Error `out_of_range` for what the precision cannot hold, with the path
void fit(Value& root, const TypeInfo& type, const RecordMetadata& metadata,
         const std::optional<Precision>& precision, const LoadOptions& options, bool null_is_nan);

}  // namespace safestructures::inline v0::burn
