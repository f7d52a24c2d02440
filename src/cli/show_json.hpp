/// \file
/// What a file holds, for programs.
#pragma once

#include <iosfwd>

#include <safestructures/tools/document.hpp>

namespace safestructures::cli {

/// Prints a line of JSON in ASCII: `{"metadata": ..., "schema": ..., "tensors": {name: {dtype,
/// shape, data_offsets}}}`. The metadata is all but the schema, which is as the file has it, null
/// when there is none. Tensors are in the order of their bytes; those of a checkpoint in several
/// files have the name of theirs under `file`.
void print_json(std::ostream& out, const Document& document);

}  // namespace safestructures::cli
