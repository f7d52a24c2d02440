#include "compare/metrics/tolerance.hpp"

#include <algorithm>

namespace safestructures::inline v0 {

Tolerance default_tolerance(DType dtype) noexcept {
  switch (dtype) {
    case DType::F64: return {1e-7, 1e-7};
    case DType::F32:
    case DType::C64: return {1.3e-6, 1e-5};
    case DType::F16: return {1e-3, 1e-5};
    case DType::BF16: return {1.6e-2, 1e-5};
    // The same number of digits, and nearly the same range.
    case DType::F8_E4M3:
    case DType::F8_E4M3FNUZ:
    case DType::F6_E2M3: return {0.125, 0.0675};
    case DType::F8_E5M2:
    case DType::F8_E5M2FNUZ:
    case DType::F6_E3M2:
    case DType::F4: return {0.25, 0.125};
    case DType::F8_E8M0:
    case DType::BOOL:
    case DType::U8:
    case DType::I8:
    case DType::I16:
    case DType::U16:
    case DType::I32:
    case DType::U32:
    case DType::I64:
    case DType::U64: break;
  }
  return {};
}

Tolerance comparing::looser(const Tolerance& a, const Tolerance& b) {
  return {std::max(a.rtol, b.rtol), std::max(a.atol, b.atol)};
}

Tolerance comparing::usual_tolerance(const BothDTypes& dtypes) {
  return looser(default_tolerance(dtypes.a.effective()), default_tolerance(dtypes.b.effective()));
}

}  // namespace safestructures::inline v0
