/// \file
/// Prints a tensor as NumPy does.
#pragma once

#include <iosfwd>

#include <safestructures/data/tensor.hpp>

namespace safestructures::cli {

/// Prints nested brackets, with columns aligned and long rows wrapped, without a final newline.
/// \param whole if false, the middle of dimensions is left out when there are more than 1000
/// elements
void print_tensor(std::ostream& out, const Tensor& tensor, bool whole);

}  // namespace safestructures::cli
