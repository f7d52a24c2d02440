/// \file
/// The error of one record, over its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <safestructures/compare/rows.hpp>
#include "compare/rows/row_store.hpp"

namespace safestructures::inline v0::comparing {

/// The rows of one record, and their largest error.
struct RecordError {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view name;
  std::int64_t step = 0;
  std::uint64_t sequence = 0;
  double error = 0;
  double least = 0;
  bool is_different = false;
  bool is_lone = false;          ///< Whether only one recording has the first row.
  const Shape* shape = nullptr;  ///< Of the tensor with that error.
};

/// Returns the error of the record whose first row is at `begin`.
[[nodiscard]] RecordError record_error(const RowStore& rows, std::size_t begin);

/// Returns the error of a row; infinite if it has no measure.
[[nodiscard]] double error_of(const ComparisonRow& row);
/// Returns the error below which no layer gets: measured noise, or half a step of the dtype.
/// @{
[[nodiscard]] double least_error(const ComparisonRow& row);
[[nodiscard]] double least_error(const Grid& grid);
/// @}
[[nodiscard]] bool is_lone(Verdict verdict) noexcept;

/// Returns `ErrorOrigin::score`. \param least as in `RecordError`
[[nodiscard]] std::optional<double> score_of(const TracedError& traced, double error, double least);

/// The error of a record and those that it is judged by; infinite if it has no measure.
struct ErrorWithInput {
  double error = 0;
  double input = 0;  ///< The error of its input.
  double least = 0;  ///< As in `RecordError`.
};
/// Sets the origin and growth of a row.
void set_origin_of(ComparisonRow& row, const TracedError& traced, const ErrorWithInput& errors);

}  // namespace safestructures::inline v0::comparing
