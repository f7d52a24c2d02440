/// \file
/// Rows of a tensor as tensors of their own.
#pragma once

#include <cstdint>
#include <memory>

#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::detail {

/// The source of a tensor that is deferred and not in memory; null for others.
[[nodiscard]] std::shared_ptr<const Source> source_of(const Tensor& tensor);

/// What is at an index of the first dimension of a contiguous tensor whose elements are a byte at
/// least. Where that has a source, so has this, the given one: a slice would be read at once.
/// \param source has the bytes of `source_of(tensor)`; null where that is
[[nodiscard]] Tensor row_of(const Tensor& tensor, std::uint64_t row,
                            const std::shared_ptr<const Source>& source);

}  // namespace safestructures::inline v0::detail
