/// \file
/// What a comparison found, path by path.
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

/// What was found of one path.
enum class Verdict : std::uint8_t {
  equal,      ///< the same numbers
  close,      ///< within the tolerance
  nothing,    ///< no number was compared: the tensor is empty, or nowhere finite in both
  different,  ///< beyond the tolerance
  value,      ///< another value of one kind: text, an integer, a bool
  dtype,      ///< another dtype, where that is asked for
  shape,      ///< another shape
  size,       ///< a container of another size
  kind,       ///< another kind of value
  only_a,     ///< in the first only
  only_b,     ///< in the second only
};

/// The name of it, as the table has it: `"only in a"`.
SAFESTRUCTURES_API std::string_view to_string(Verdict verdict) noexcept;

/// True for all but `equal`, `close` and `nothing`.
[[nodiscard]] constexpr bool is_difference(Verdict verdict) noexcept {
  return verdict > Verdict::nothing;
}

/// What says that the record of the other recording is the same call: how sure that is.
enum class RecordMatch : std::uint8_t {
  call,   ///< Name, step and number of the call.
  shape,  ///< Name, step and its shapes in their order among calls of other shapes.
  order,  ///< Name, step and its order alone.
};

/// The name of it: `"shape"`.
SAFESTRUCTURES_API std::string_view to_string(RecordMatch match) noexcept;

/// Which record of two recordings a row is about.
struct RecordPlace {
  std::string name;                       ///< With the scopes in front.
  std::int64_t step = 0;                  ///< As in `Record`.
  std::uint64_t call = 0;                 ///< Calls of that name before it.
  std::uint64_t sequence = 0;             ///< Its place among all records of its recording.
  RecordMatch match = RecordMatch::call;  ///< Of recordings that are compared.
  /// The call in the second of them, where it is another.
  std::optional<std::uint64_t> other_call = std::nullopt;
};

/// A row of a table.
struct ComparisonRow {
  /// `/layers/0/weight`; of a record its name, then the path in it unless that is the root. What is
  /// at 1 in a dict that has "1", too, is `/1~int` here.
  std::string path;
  std::string other_path;            ///< In the second structure, where it is another.
  Verdict verdict = Verdict::equal;  ///< What came of it.
  std::string detail;  ///< What differs, in words: `[2, 3] and [3, 2]`. Not printable as it is.
  std::optional<TensorMetrics> metrics;  ///< Of two tensors of one shape.
  /// Of tensors of one shape of which one side or both have the statistics alone.
  Boxed<StatisticsMetrics> statistics;
  Boxed<NoiseFloor> noise;  ///< Where a further run has this tensor.
  /// Of a record: `TensorMetrics::relative_l2` of the places that are not below -8192 on both
  /// sides, as masks fill them, where that is more than the one of all. Of a tensor of more than
  /// 65,536 numbers that of 64 blocks of them.
  std::optional<double> unmasked_l2;
  std::optional<RecordPlace> record;  ///< Of recordings.
  Shape shape;                        ///< Of both tensors, where there are metrics.
  /// Of a record: its relative L2 over the largest of the records before it in the same step.
  /// Nothing where those have no error.
  std::optional<double> growth;
  /// Of a record beyond its tolerance: whether its error is new, more than twice what came in
  /// (where that is a guess: than the largest before it in its step), or passed on.
  bool makes_error = false;
  /// Of a record with numbers: what went into its layer, and how the error grew in it.
  std::optional<ErrorOrigin> origin;
  /// Which faults would make the difference, the best explanation first.
  std::vector<Suspicion> suspicions;
  /// The order of a's dimensions that gives b, recognised and never passed: as `Tensor::permute`.
  std::vector<std::size_t> permutation;
};

/// The rows of a table. Those about small records take a few bytes each, and are made when they are
/// asked for. Copies share them. Constant members may be called by several threads at once.
class SAFESTRUCTURES_API ComparisonRows {
 public:
  using Iterator = detail::IndexIterator<ComparisonRows, ComparisonRow>;  ///< Of rows.

  /// How many there are.
  /// @{
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// @}
  /// The row at a place below `size()`. It stays where it is as long as this or a copy of it; of a
  /// temporary, a copy.
  /// @{
  [[nodiscard]] const ComparisonRow& operator[](std::size_t index) const&;
  [[nodiscard]] ComparisonRow operator[](std::size_t index) && { return (*this)[index]; }
  /// @}
  /// The same of any place. \throws Error `out_of_range`
  /// @{
  [[nodiscard]] const ComparisonRow& at(std::size_t index) const&;
  [[nodiscard]] ComparisonRow at(std::size_t index) && { return at(index); }
  /// @}
  /// The verdict of the row at a place below `size()`, without making the row.
  [[nodiscard]] Verdict verdict(std::size_t index) const noexcept;
  /// Over the rows in their order. Valid as long as this.
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
