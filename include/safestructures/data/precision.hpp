/// \file
/// In which precision tensors are stored.
#pragma once

#include <optional>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// The dtypes in which floating and integer tensors are stored, whatever their own. Booleans and
/// complex numbers stay as they are, and so does what has no value here. So do tensors that could
/// not be given their dtype back: F8_E8M0 as F16, whose range is smaller and which has zeros; of
/// other dtypes, F8_E4M3FNUZ and F6_E2M3 as ones of fewer digits, and small ones as F8_E8M0.
struct Precision {
  std::optional<DType> floats;    ///< A floating dtype.
  std::optional<DType> integers;  ///< An integer dtype.

  /// Floating tensors as F32, as Python's package stores what comes from torch, TensorFlow and JAX.
  static const Precision f32;
  /// Everything in its own dtype.
  static const Precision preserve;
  /// Floating tensors in that dtype, everything else in its own.
  /// @{
  static const Precision f16;
  static const Precision bf16;
  static const Precision f64;
  /// @}

  /// The dtype in which a tensor of that dtype is stored.
  [[nodiscard]] SAFESTRUCTURES_API DType stored(DType dtype) const noexcept;

  /// Same dtypes, or none in the same place.
  friend bool operator==(const Precision&, const Precision&) = default;
};

inline constexpr Precision Precision::f32{DType::F32, std::nullopt};
inline constexpr Precision Precision::preserve{std::nullopt, std::nullopt};
inline constexpr Precision Precision::f16{DType::F16, std::nullopt};
inline constexpr Precision Precision::bf16{DType::BF16, std::nullopt};
inline constexpr Precision Precision::f64{DType::F64, std::nullopt};

}  // namespace safestructures::inline v0
