/// \file
/// The result of a comparison, path by path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/compare/findings.hpp>
#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/boxed.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/index_iterator.hpp>
#include <safestructures/data/shape.hpp>

namespace safestructures::inline v0 {

namespace comparing {
class RowStore;
}

/// The result for one path.
enum class Verdict : std::uint8_t {
  equal,      ///< the same numbers
  close,      ///< within the tolerance
  nothing,    ///< no number was compared: the tensor is empty, or never finite in both
  different,  ///< beyond the tolerance
  value,      ///< another value of the same kind: text, an integer, a bool
  dtype,      ///< another dtype, if `CompareOptions::exact_dtypes` is set
  shape,      ///< another shape
  size,       ///< a container of another size
  kind,       ///< another kind of value
  only_a,     ///< only in the first
  only_b,     ///< only in the second
};

/// Returns the name as in the table, such as `"only in a"`.
SAFESTRUCTURES_API std::string_view to_string(Verdict verdict) noexcept;

/// Returns true for all but `equal`, `close` and `nothing`.
[[nodiscard]] constexpr bool is_difference(Verdict verdict) noexcept {
  return verdict > Verdict::nothing;
}

/// By what two records were matched as the same call: how certain it is.
enum class RecordMatch : std::uint8_t {
  call,   ///< By name, step and number of the call.
  shape,  ///< By name, step and shapes, in order among calls of other shapes.
  order,  ///< By name, step and order only.
};

/// Returns the name, such as `"shape"`.
SAFESTRUCTURES_API std::string_view to_string(RecordMatch match) noexcept;

/// The record that a row is about.
struct RecordPlace {
  std::string name;            ///< The name, with its scopes in front.
  std::int64_t step = 0;       ///< As in `Record`.
  std::uint64_t call = 0;      ///< The number of earlier calls of that name.
  std::uint64_t sequence = 0;  ///< Its position among all records of its recording.
  /// How it was matched with a record of the other recording.
  RecordMatch match = RecordMatch::call;
  /// The call in the second recording, if it differs.
  std::optional<std::uint64_t> other_call = std::nullopt;
};

/// A row of a table.
struct ComparisonRow {
  /// `/layers/0/weight`; for a record its name, followed by the path in it unless that is the root.
  /// In a dict that has both 1 and "1", the path of 1 is `/1~int`.
  std::string path;
  std::string other_path;            ///< The path in the second structure, if it differs.
  Verdict verdict = Verdict::equal;  ///< The result.
  std::string detail;  ///< What differs, in words: `[2, 3] and [3, 2]`. Not safe to print as it is.
  std::optional<TensorMetrics> metrics;  ///< For two tensors of the same shape.
  /// For tensors of the same shape if one side or both only have the statistics.
  Boxed<StatisticsMetrics> statistics;
  Boxed<NoiseFloor> noise;  ///< Present if a further run has this tensor.
  /// For a record: `TensorMetrics::relative_l2` over the elements that are not masked, that is, not
  /// at or below -8192 on both sides. Only present if it is larger than that over all elements. In
  /// a tensor of more than 65,536 elements, only 64 blocks are looked at.
  std::optional<double> unmasked_l2;
  std::optional<RecordPlace> record;  ///< Present for recordings.
  Shape shape;                        ///< The shape of both tensors, if there are metrics.
  /// For a record: its relative L2 divided by the largest among the earlier records of the same
  /// step. Nothing if those have no error.
  std::optional<double> growth;
  /// For a record beyond its tolerance: whether its error is new, that is, more than twice the
  /// input error (or, if the input is guessed, than the largest earlier error in its step and
  /// thread), or passed on.
  bool makes_error = false;
  /// For a record with numbers: the input of its layer, and how the error grew in it.
  std::optional<ErrorOrigin> origin;
  /// The faults that would cause the difference, the best explanation first.
  std::vector<Suspicion> suspicions;
  /// The order of a's dimensions that gives b, as for `Tensor::permute`. Only recognised; such
  /// tensors still differ.
  std::vector<std::size_t> permutation;
};

/// The rows of a table. Rows of small records take a few bytes each and are made on demand. Copies
/// share them. Constant members may be called by several threads at once.
class SAFESTRUCTURES_API ComparisonRows {
 public:
  using Iterator = detail::IndexIterator<ComparisonRows, ComparisonRow>;  ///< Iterates over rows.

  /// The number of rows.
  /// @{
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// @}
  /// Returns the row at an index below `size()`, without checking. Valid as long as this or a copy
  /// of it; for a temporary, a copy is returned.
  /// @{
  [[nodiscard]] const ComparisonRow& operator[](std::size_t index) const&;
  [[nodiscard]] ComparisonRow operator[](std::size_t index) && { return (*this)[index]; }
  /// @}
  /// Returns the row at any index. \throws Error `out_of_range`
  /// @{
  [[nodiscard]] const ComparisonRow& at(std::size_t index) const&;
  [[nodiscard]] ComparisonRow at(std::size_t index) && { return at(index); }
  /// @}
  /// Returns the verdict of the row at an index below `size()`, without making the row.
  [[nodiscard]] Verdict verdict(std::size_t index) const noexcept;
  /// Iterators over the rows in order. Valid as long as this.
  /// @{
  [[nodiscard]] Iterator begin() const& noexcept { return {*this, 0}; }
  [[nodiscard]] Iterator end() const& noexcept { return {*this, size()}; }
  Iterator begin() && = delete;
  Iterator end() && = delete;
  /// @}

 private:
  friend class comparing::RowStore;
  std::shared_ptr<comparing::RowStore> store_;  // Null: there are none.
};

}  // namespace safestructures::inline v0
