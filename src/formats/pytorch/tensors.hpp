/// \file
/// Tensors of PyTorch: views of storages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/value.hpp>
#include "formats/pytorch/storages.hpp"

namespace safestructures::inline v0::pytorch {

/// Which elements of a storage are those of a tensor.
struct View {
  ElementType element;
  std::uint64_t offset = 0;  ///< In elements, as strides are.
  std::span<const std::uint64_t> shape;
  std::span<const std::uint64_t> strides;
};

/// Makes the tensors of a file, and counts their bytes.
class Tensors {
 public:
  Tensors(std::shared_ptr<const Source> source, const Storages& storages, const Limits& limits);

  /// Returns a tensor: a view of a source in memory, or deferred. Complex numbers of two doubles
  /// become pairs.
  /// \throws Error `missing_tensor`, `invalid_offsets`, `invalid_shape`, `limit_exceeded`
  [[nodiscard]] Value make(const StorageId& storage, const View& view, const Trace* trace);

  /// Counts a tensor that is made elsewhere. \throws Error `limit_exceeded`
  void note(std::uint64_t size, const Trace* trace);

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::shared_ptr<const Source> source_;
  const Storages& storages_;
  const Limits& limits_;
  std::uint64_t most_;  // How many bytes all tensors may have.
  std::uint64_t bytes_ = 0;
  std::size_t count_ = 0;
};

}  // namespace safestructures::inline v0::pytorch
