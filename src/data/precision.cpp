#include <safestructures/data/precision.hpp>

namespace safestructures::inline v0 {
namespace {

/// Whether every value of a floating dtype, once stored as another, is still within its own range:
/// otherwise it could not be converted back.
bool comes_back(DType own, DType stored) noexcept {
  // Scales: without zero, which small numbers would become, and with powers of two beyond F16's
  // range.
  const auto is_wide = [](DType dtype) {
    return dtype == DType::F32 || dtype == DType::F64 || dtype == DType::BF16;
  };
  if (own == DType::F8_E8M0) return stored == own || is_wide(stored);
  if (stored == DType::F8_E8M0) return is_wide(own);
  // With fewer fraction bits, 7.5 becomes 8, and 240 becomes 256.
  const bool is_coarse = stored == DType::F8_E5M2 || stored == DType::F8_E5M2FNUZ;
  if (own == DType::F6_E2M3) return !is_coarse && stored != DType::F6_E3M2;
  return own != DType::F8_E4M3FNUZ || !is_coarse;
}

}  // namespace

DType Precision::stored(DType dtype) const noexcept {
  if (is_floating(dtype)) return floats && comes_back(dtype, *floats) ? *floats : dtype;
  if (is_integer(dtype)) return integers.value_or(dtype);
  return dtype;
}

}  // namespace safestructures::inline v0
