/// \file
/// The content of a file as JSON, for programs.
#pragma once

#include <iosfwd>

#include <safestructures/tools/document.hpp>

namespace safestructures::cli {

/// Prints a line of JSON in ASCII: `{"metadata": ..., "schema": ..., "tensors": {name: {dtype,
/// shape, data_offsets}}}`. The metadata is all but the schema, which is given as in the file, or
/// null if there is none. Tensors are in the order of their bytes; in a checkpoint of several
/// files, each has the name of its file under `file`.
void print_json(std::ostream& out, const Document& document);

}  // namespace safestructures::cli
