/// \file
/// NumPy's `.npy` files, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::cli {

/// What stands before the elements in a `.npy` file of version 1.0, row-major.
/// \param way_out the options that convert the tensor to a dtype that NumPy has
/// \throws Error `invalid_argument` for a dtype that NumPy does not have, without a name;
/// `out_of_range` for a bool that is none
std::string npy_header(const Tensor& tensor, std::string_view way_out);

/// Writes a tensor as a `.npy` file. \param header of the tensor
void write_npy(std::ostream& out, const Tensor& tensor, std::string_view header);

/// Reads a `.npy` file of any version that is in memory. The tensor is a view of it, or a copy
/// where its elements lie in another order of bytes.
/// \throws Error `invalid_header`, `unknown_dtype`, `invalid_shape`, `truncated`, without a name
Tensor read_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                const Limits& limits);

}  // namespace safestructures::cli
