/// \file
/// Reads a tensor's shape, size by size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/shape.hpp>

namespace safestructures::inline v0::tree {

/// Gathers the sizes of a tensor's shape. Its errors give the tensor's place.
class ShapeReader {
 public:
  /// \param trace the place of the tensor; it and the limits must outlive this
  /// \param offset where the shape begins
  ShapeReader(const Limits& limits, const Trace* trace, std::uint64_t offset)
      : limits_(limits), trace_(trace), offset_(offset) {}

  /// Throws the error that the value is not a shape. \param offset where the value begins
  [[noreturn]] void wrong(std::string found, std::uint64_t offset) const;
  /// \throws Error `limit_exceeded` beyond `Limits::rank`
  void add(std::uint64_t size);
  /// \throws Error `invalid_shape` if no tensor of that dtype can be so large
  [[nodiscard]] Shape finish(DType dtype) const;

 private:
  const Limits& limits_;
  const Trace* trace_;
  std::uint64_t offset_;
  std::vector<std::uint64_t> sizes_;
};

}  // namespace safestructures::inline v0::tree
