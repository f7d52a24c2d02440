/// \file
/// Tensors with their statistics as JSON.
#pragma once

#include <iosfwd>

#include "cli/tensor_list.hpp"

namespace safestructures::cli {

/// Writes the members of an object, without its braces: path, dtype, shape, bytes, statistics,
/// those of no finite number as `null`; of a record where it is. ASCII.
void write_json_members(std::ostream& out, const ListedTensor& tensor);

}  // namespace safestructures::cli
