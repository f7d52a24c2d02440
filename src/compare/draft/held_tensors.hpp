/// \file
/// Keeps the tensors of rows at hand.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include "compare/metrics/tensor_pair.hpp"
#include "compare/rows/row_store.hpp"

namespace safestructures::inline v0::comparing {

/// The tensors of rows of which the numbers are still to be compared, and afterwards of those that
/// are looked at again. The tensors of every compact row can be found, too.
class HeldTensors {
 public:
  /// Held by pointer: copies of 200,000 would take more memory than the tensors themselves.
  struct Held {
    std::size_t row = 0;  ///< Index among all rows.
    TensorPair tensors;
  };
  /// Returns the values of a compact row's records, given the record's index in the first
  /// recording.
  using CompactValues = std::function<std::pair<const Value*, const Value*>(std::size_t record)>;

  explicit HeldTensors(RowStore& rows) : rows_(rows) {}

  /// Sets where the values of compact rows are.
  void set_compact_values(CompactValues values) { compact_values_ = std::move(values); }

  /// Holds the tensors of a row. They must stay valid as long as this.
  void hold(std::size_t row, const TensorPair& tensors) { held_.push_back({row, tensors}); }
  /// Holds the tensors of a compact row, which becomes whole.
  void hold_compact(std::size_t row);
  /// Returns a tensor made of a float or complex, which is valid as long as this.
  [[nodiscard]] const Tensor& tensor_of(const Value& number);
  /// Returns complex numbers as pairs of their parts, valid as long as this.
  [[nodiscard]] const Tensor& pairs_of(const Tensor& complex);

  /// Returns all that are held, ordered by row. Call before `find` and `can_find`.
  [[nodiscard]] std::span<const Held> sorted();
  /// Forgets all others.
  template <class IsNeeded>
  void keep_only(const IsNeeded& is_needed) {
    std::erase_if(held_, [&](const Held& held) { return !is_needed(held); });
  }
  /// Returns the tensors of a row; null if they are neither held nor those of a compact row.
  [[nodiscard]] std::optional<TensorPair> find(std::size_t row) const;
  [[nodiscard]] bool can_find(std::size_t row) const;

 private:
  [[nodiscard]] TensorPair compact_tensors(std::size_t row) const;

  RowStore& rows_;
  std::vector<Held> held_;
  std::deque<Tensor> made_;  // Made of values that are not tensors, or not in that form.
  CompactValues compact_values_;
};

}  // namespace safestructures::inline v0::comparing
