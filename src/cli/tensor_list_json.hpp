/// \file
/// Tensors with their statistics as JSON.
#pragma once

#include <iosfwd>

#include "cli/tensor_list.hpp"

namespace safestructures::cli {

/// Writes the members of an object, without its braces: path, dtype, shape, bytes; of a record
/// where it is, and how much was kept of it. ASCII.
void write_place_members(std::ostream& out, const ListedTensor& tensor);

/// Writes those, and its statistics, those of no finite number as `null`.
void write_json_members(std::ostream& out, const ListedTensor& tensor);

}  // namespace safestructures::cli
