/// \file
/// Rows of a tensor as tensors.
#pragma once

#include <cstdint>
#include <memory>

#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::detail {

/// Returns the source of a tensor that is deferred and not loaded; null for others.
[[nodiscard]] std::shared_ptr<const Source> source_of(const Tensor& tensor);

/// Returns the element at an index of the first dimension of a contiguous tensor, whose dtype has
/// at least 8 bits. If the tensor has a source, the row is deferred, with the given source: a slice
/// would be read at once.
/// \param source has the bytes of `source_of(tensor)`; null if that is
[[nodiscard]] Tensor row_of(const Tensor& tensor, std::uint64_t row,
                            const std::shared_ptr<const Source>& source);

}  // namespace safestructures::inline v0::detail
