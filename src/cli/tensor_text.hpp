/// \file
/// A tensor as text, as NumPy prints it.
#pragma once

#include <iosfwd>

#include <safestructures/data/tensor.hpp>

namespace safestructures::cli {

/// Prints nested brackets, columns aligned and long rows wrapped, without a line end.
/// \param whole false to leave out the middle of dimensions when there are more than 1000 elements
void print_tensor(std::ostream& out, const Tensor& tensor, bool whole);

}  // namespace safestructures::cli
