/// \file
/// Conversion back to the dtype that a tensor had before it was stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::detail {

/// Whether a tensor had this dtype before it was stored in another.
[[nodiscard]] bool had_dtype(const Value& value, DType dtype);

/// Whether all finite numbers of a range of a BF16 tensor are ones that F16's become.
[[nodiscard]] bool are_from_halves(const Tensor& stored, std::uint64_t first, std::uint64_t count);

/// Copies a range of elements to the dtype that they had before they were stored. Numbers that
/// storing rounded beyond that dtype's range become its largest: with F16's 11 bits, those from
/// 65,408 to 65,504 are 65,536 with BF16's 8. For no other pair that `Precision::stored` allows can
/// this happen.
/// \param copy called with the Overflow by which to copy the range, perhaps twice
template <class Copy>
ConversionReport copy_back(const Tensor& stored, std::uint64_t first, std::uint64_t count,
                           DType dtype, Overflow overflow, const Copy& copy) {
  if (overflow == Overflow::error && stored.dtype() == DType::BF16 && dtype == DType::F16) {
    const ConversionReport report = copy(Overflow::saturate);
    if (report.overflow == 0 || are_from_halves(stored, first, count)) return report;
  }
  return copy(overflow);
}

/// Copies all elements so, as `Tensor::copy_to` does.
ConversionReport copy_back(const Tensor& stored, DType dtype, std::span<std::byte> target,
                           Overflow overflow);

}  // namespace safestructures::inline v0::detail
