/// \file
/// Reads the numbers of a tensor in double precision, block by block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::detail {

/// Calls `use(numbers, first element, elements)` for each block, in row-major order; `use` may
/// change the numbers. The real and imaginary parts of complex elements are numbers of their own.
/// If `use` returns a bool, false ends the loop.
/// \param block numbers at a time; more if memory in another order would be read repeatedly
/// \throws Error as `Tensor::copy_elements`
template <class Use>
void for_each_block_in_doubles(const Tensor& tensor, std::uint64_t block, const Use& use) {
  const bool is_complex = tensor.dtype() == DType::C64;
  const std::size_t parts = is_complex ? 2 : 1;
  const std::uint64_t most =
      std::min<std::uint64_t>(tensor.block_elements(block / parts), tensor.size());
  std::vector<double> numbers(static_cast<std::size_t>(most) * parts);
  std::vector<float> floats(is_complex ? numbers.size() : 0);
  for (std::uint64_t first = 0; first < tensor.size(); first += most) {
    const std::uint64_t count = std::min(most, tensor.size() - first);
    const std::span<double> used =
        std::span(numbers).first(static_cast<std::size_t>(count) * parts);
    if (is_complex) {
      const std::span<float> read = std::span(floats).first(used.size());
      tensor.copy_elements(first, count, DType::C64, std::as_writable_bytes(read), Overflow::allow);
      std::ranges::copy(read, used.begin());
    } else {
      tensor.copy_elements(first, count, DType::F64, std::as_writable_bytes(used), Overflow::allow);
    }
    if constexpr (std::is_same_v<decltype(use(used, first, count)), bool>) {
      if (!use(used, first, count)) return;
    } else {
      use(used, first, count);
    }
  }
}

}  // namespace safestructures::inline v0::detail
