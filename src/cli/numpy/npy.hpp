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

/// Returns the part before the elements in a row-major `.npy` file of version 1.0.
/// \param way_out the options that convert the tensor to a dtype that NumPy has
/// \throws Error `invalid_argument` for a dtype that NumPy does not have, without a name;
/// `out_of_range` for a BOOL byte above 1
std::string npy_header(const Tensor& tensor, std::string_view way_out);

/// Writes a tensor as a `.npy` file. \param header the result of `npy_header` for the tensor
void write_npy(std::ostream& out, const Tensor& tensor, std::string_view header);

/// Reads a `.npy` file of any version from memory. The tensor is a view of it, or a copy if its
/// elements have another byte order.
/// \throws Error `invalid_header`, `unknown_dtype`, `invalid_shape`, `truncated`, without a name
Tensor read_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                const Limits& limits);

}  // namespace safestructures::cli
