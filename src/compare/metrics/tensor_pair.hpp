/// \file
/// Two tensors that are compared, and the dtypes of their numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/metrics/ulp.hpp"

namespace safestructures::inline v0::comparing {

/// The dtypes of one side's numbers.
struct SideDType {
  DType stored = DType::F32;
  std::optional<DType> recorded;  ///< As in `RecordedDTypes`.

  /// Returns the dtype that determines steps and tolerance.
  [[nodiscard]] DType effective() const { return effective_dtype(stored, recorded); }
  friend bool operator==(const SideDType&, const SideDType&) = default;
};

/// The dtypes of both sides' numbers.
struct BothDTypes {
  SideDType a;
  SideDType b;

  [[nodiscard]] RecordedDTypes recorded() const { return {a.recorded, b.recorded}; }
  /// Returns a row's text such as `F32, was F16 and F32`; empty if both are the same.
  [[nodiscard]] std::string difference_text() const;
};

/// Whether numbers of a dtype can have fractions.
[[nodiscard]] inline bool has_fractions(DType dtype) noexcept {
  return is_floating(dtype) || dtype == DType::C64;
}

/// Two tensors of the same shape, which must outlive this.
struct TensorPair {
  const Tensor* a = nullptr;
  const Tensor* b = nullptr;
  RecordedDTypes recorded{};

  [[nodiscard]] std::uint64_t byte_size() const { return a->byte_size() + b->byte_size(); }
  [[nodiscard]] BothDTypes dtypes() const {
    return {{a->dtype(), recorded.a}, {b->dtype(), recorded.b}};
  }
};

}  // namespace safestructures::inline v0::comparing
