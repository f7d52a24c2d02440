#include <safestructures/data/precision.hpp>

namespace safestructures::inline v0 {
namespace {

/// Whether what a floating dtype holds is within its own range once it is stored as another:
/// otherwise it could not be given its dtype back.
bool comes_back(DType own, DType stored) noexcept {
  // Scales: no zero, which small ones would become, and powers of two beyond F16's.
  const auto is_wide = [](DType dtype) {
    return dtype == DType::F32 || dtype == DType::F64 || dtype == DType::BF16;
  };
  if (own == DType::F8_E8M0) return stored == own || is_wide(stored);
  if (stored == DType::F8_E8M0) return is_wide(own);
  // With fewer digits 7.5 becomes 8, and 240 becomes 256.
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
