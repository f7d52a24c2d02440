/// \file
/// Helpers that tests of tensors share: numbers that count up, and a matrix in column-major order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <safestructures/data/tensor.hpp>

namespace safestructures::test {

inline std::vector<float> counted(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

/// 3 x 4 floats, column-major in memory.
struct ColumnMajor {
  std::vector<float> memory = counted(12);
  Tensor tensor = Tensor::strided(DType::F32, {3, 4}, std::array<std::int64_t, 2>{4, 12},
                                  std::as_bytes(std::span(memory)).data(), nullptr);
  std::vector<float> row_major = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11};
};

}  // namespace safestructures::test
