/// \file
/// The precision in which tensors are stored.
#pragma once

#include <optional>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// The dtypes in which floating-point and integer tensors are stored, whatever their own. A tensor
/// keeps its dtype if there is no value here for it, and booleans and complex numbers always do. So
/// do tensors whose dtype could not be restored: F8_E8M0 is stored only as BF16, F32 or F64, and
/// only these are stored as F8_E8M0; F8_E4M3FNUZ and F6_E2M3 are not stored as dtypes with fewer
/// fraction bits.
struct Precision {
  std::optional<DType> floats;    ///< A floating-point dtype.
  std::optional<DType> integers;  ///< An integer dtype.

  /// Floating-point tensors as F32, as Python's package stores those of torch, TensorFlow and JAX.
  static const Precision f32;
  /// Everything in its own dtype.
  static const Precision preserve;
  /// Floating-point tensors in that dtype, everything else in its own.
  /// @{
  static const Precision f16;
  static const Precision bf16;
  static const Precision f64;
  /// @}

  /// Returns the dtype in which a tensor of dtype `dtype` is stored.
  [[nodiscard]] SAFESTRUCTURES_API DType stored(DType dtype) const noexcept;

  /// Whether both dtypes are the same or both missing.
  friend bool operator==(const Precision&, const Precision&) = default;
};

inline constexpr Precision Precision::f32{DType::F32, std::nullopt};
inline constexpr Precision Precision::preserve{std::nullopt, std::nullopt};
inline constexpr Precision Precision::f16{DType::F16, std::nullopt};
inline constexpr Precision Precision::bf16{DType::BF16, std::nullopt};
inline constexpr Precision Precision::f64{DType::F64, std::nullopt};

}  // namespace safestructures::inline v0
