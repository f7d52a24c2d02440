/// \file
/// A conversion between two dtypes, prepared once for many runs of elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>

#include "data/conversion/convert_codes.hpp"
#include "data/conversion/convert_kernels.hpp"

namespace safestructures::inline v0::detail {

/// Converts runs of elements, in any order, by whatever is fastest for the pair of dtypes.
class Converter {
 public:
  /// \param expected the number of elements in all runs together, which decides whether a table
  ///        pays
  Converter(DType from, DType to, Overflow overflow, std::uint64_t expected);

  /// Converts `count` elements as `convert_elements` does, without its checks of sizes, and adds to
  /// the report. \pre the dtypes differ, or are BOOL
  /// \param first the index of the first element in the whole tensor
  /// \throws Error as `convert_elements`
  void convert(const std::byte* source, std::byte* target, std::uint64_t count,
               std::uint64_t first);

  /// What all runs did to the values.
  [[nodiscard]] const ConversionReport& report() const noexcept { return report_; }

 private:
  void convert_in_steps(const std::byte* source, std::byte* target, std::uint64_t count,
                        std::uint64_t first);
  void add(ConversionReport part);

  DType from_;
  DType to_;
  Overflow overflow_;
  KernelSteps steps_;
  std::optional<CodeTable> table_;
  ConversionReport report_;
};

}  // namespace safestructures::inline v0::detail
