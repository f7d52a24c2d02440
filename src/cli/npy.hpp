/// \file
/// NumPy's `.npy` files, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
#pragma once

#include <iosfwd>

#include <safestructures/data/tensor.hpp>

namespace safestructures::cli {

/// Writes a tensor as a `.npy` file of version 1.0, row-major.
/// \throws CallError for a dtype that NumPy does not have.
void write_npy(std::ostream& out, const Tensor& tensor);

}  // namespace safestructures::cli
