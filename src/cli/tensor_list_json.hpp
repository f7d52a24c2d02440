/// \file
/// Writes tensors with their statistics as JSON.
#pragma once

#include <iosfwd>

#include "cli/tensor_list.hpp"

namespace safestructures::cli {

/// Writes the members of an object, without its braces, in ASCII: path, dtype, shape, bytes; for a
/// record also its place, and how much of it was kept.
void write_place_members(std::ostream& out, const ListedTensor& tensor);

/// Writes the same members and the statistics, with `null` for those that are not finite.
void write_json_members(std::ostream& out, const ListedTensor& tensor);

}  // namespace safestructures::cli
