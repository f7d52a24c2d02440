/// \file
/// Tensors whose elements lie as they are in a file that is read front to back.
#pragma once

#include <cstdint>
#include <memory>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0::detail {

/// A tensor of elements that lie in the source from `offset` on, as many as the shape says; where
/// they are not aligned there, or not mapped, they are read when they are used, or copied at once
/// where that is less than to remember where they are.
/// \param trace of the tensor, for messages
[[nodiscard]] Tensor tensor_at(const std::shared_ptr<const Source>& source, std::uint64_t offset,
                               DType dtype, Shape shape, bool is_mapped, const Trace* trace);

/// The source, brought into memory where that is asked for.
[[nodiscard]] std::shared_ptr<const Source> brought(const std::shared_ptr<const Source>& source,
                                                    Access access);

}  // namespace safestructures::inline v0::detail
