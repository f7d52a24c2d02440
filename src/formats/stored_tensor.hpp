/// \file
/// Tensors whose elements lie unchanged in a file that is read front to back.
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

/// Returns a tensor whose elements lie in the source from `offset` on, as many as the shape says.
/// Elements that are not aligned there, or not mapped, are read when they are used, or copied at
/// once if that costs less than remembering where they are.
/// \param trace the place of the tensor, for messages
[[nodiscard]] Tensor tensor_at(const std::shared_ptr<const Source>& source, std::uint64_t offset,
                               DType dtype, Shape shape, bool is_mapped, const Trace* trace);

/// Returns the source, read into memory if `access` asks for that.
[[nodiscard]] std::shared_ptr<const Source> brought(const std::shared_ptr<const Source>& source,
                                                    Access access);

}  // namespace safestructures::inline v0::detail
