/// \file
/// Compares two structures node by node.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/options.hpp>
#include "compare/noise/noise.hpp"
#include "compare/pairing/filter.hpp"
#include "compare/pairing/nodes.hpp"
#include "compare/pairing/rename.hpp"
#include "compare/rows/row_store.hpp"
#include "data/path_text.hpp"

namespace safestructures::inline v0::comparing {

/// A node, or two nodes that are compared.
struct Pair {
  const TreeNode* a = nullptr;  ///< Null if only b has the node.
  const TreeNode* b = nullptr;
};

/// Returns a row's text for the dtype of one side, such as `F32, was F16`.
std::string dtype_text(DType dtype, const std::optional<DType>& was);

/// Compares structures one after another into one result.
class Comparer {
 public:
  /// \throws Error `invalid_argument`
  Comparer(const CompareOptions& options, bool of_recordings);

  /// Pairs nodes by the rename rules, then by path; among several nodes with one path the first
  /// with the first. Nodes that only b has come last.
  [[nodiscard]] std::vector<Pair> pair(const std::vector<TreeNode>& a,
                                       const std::vector<TreeNode>& b);

  /// Adds rows for paired nodes, whose values must stay valid until `suspect`.
  /// \param other_name of the record in the second recording
  void add(const std::vector<Pair>& pairs, const std::optional<RecordPlace>& record = {},
           const std::string& other_name = {});
  /// How much of a record the globs select, by its name or by paths in it.
  enum class Part { none, some, all };
  /// \param other its name in b, if different
  [[nodiscard]] Part wanted_part(const std::string& name, const std::string& other,
                                 const Value& value) const;
  /// Adds a row for a record that only one recording has, or one for each selected part.
  void add_lone(const RecordPlace& record, const Value& value, bool is_of_b);
  /// Adds a row for records whose contents in the two recordings cannot be compared.
  void add_other_kind(const RecordPlace& record, const std::string& other_name, const Value& value,
                      std::string detail);

  /// Returns the tolerance of a path from the options and dtypes; of two dtypes', the looser.
  [[nodiscard]] Tolerance tolerance_of(const std::string& path, DType a, DType b,
                                       const RecordedDTypes& recorded) const;

  /// Whether the options set the tolerance of a path.
  [[nodiscard]] bool is_given(const std::string& path, DType a, DType b,
                              const RecordedDTypes& recorded) const;

  /// Returns the values of a compact row's records, given the record's index in the first
  /// recording.
  using CompactValues = std::function<std::pair<const Value*, const Value*>(std::size_t record)>;
  /// Sets the lookup used, until `suspect`, for rows that are inspected again.
  void set_compact_values(CompactValues values) { compact_values_ = std::move(values); }
  /// Returns how errors name the first or second side if what is wrong names no file.
  using NameOf = std::function<std::string(bool is_of_b)>;
  void set_name_of(NameOf name_of) { name_of_ = std::move(name_of); }
  /// Schedules a compact row for `measure` and keeps it whole. Its bytes must have been passed to
  /// `expect`.
  /// \param row its index among all rows
  void hold_compact(std::size_t row);
  /// Count the bytes of tensors that are compared outside `measure`: in advance, and when done.
  /// @{
  void expect(std::uint64_t bytes) noexcept { all_bytes_ += bytes; }
  void report(std::uint64_t bytes) const { options_.progress(bytes, all_bytes_); }
  /// @}

  [[nodiscard]] Renames& renames() noexcept { return renames_; }
  [[nodiscard]] const Filter& filter() const noexcept { return filter_; }
  [[nodiscard]] const Noise& noise() const noexcept { return noise_; }
  /// Compares the numbers of all added rows, which have no verdict before. Call once.
  void measure();
  /// Looks for faults that explain rows beyond their tolerance: for recordings, rows that introduce
  /// an error and the first that differs; otherwise all. Call after all rows are added.
  void suspect();
  /// Adds notes on options that had no effect.
  void add_notes();
  Comparison& result() noexcept { return result_; }
  RowStore& rows() noexcept { return rows_; }

 private:
  /// Fills the row at the end of `result_`. \returns false if there is nothing to report
  /// @{
  [[nodiscard]] bool add_pair(const Pair& pair, ComparisonRow& row);
  void add_tensors(const Pair& pair, ComparisonRow& row);
  void add_summaries(const Pair& pair, ComparisonRow& row);
  /// The numbers are compared by `measure`.
  void add_numbers(const Tensor& a, const Tensor& b, const RecordedDTypes& recorded,
                   ComparisonRow& row);
  /// @}
  /// Returns the tensor of a node; for a float or complex, a tensor made of it.
  [[nodiscard]] const Tensor& tensor_of(const Value& value);
  void look_for_transpose(const Tensor& a, const Tensor& b, ComparisonRow& row) const;
  void count(Verdict verdict);
  void add_whole(const RecordPlace& record, Verdict verdict, std::string detail);
  /// Tensors of a row, inspected again if they differ. Held by pointer: copies of 200,000 would
  /// take more memory than the tensors themselves.
  struct Held {
    std::size_t row = 0;
    const Tensor* a = nullptr;
    const Tensor* b = nullptr;
    RecordedDTypes recorded;
  };
  /// Returns the rule that decides; null if there is none.
  [[nodiscard]] const ToleranceRule* rule_of(const std::string& path, DType dtype) const;
  /// Returns a note on each tolerance rule that decided nothing.
  [[nodiscard]] std::vector<std::string> unused_tolerances() const;
  [[nodiscard]] Tolerance tolerance_of(const std::string& path, DType dtype) const;
  [[nodiscard]] bool is_different(ComparisonRow& row, const Held& held) const;
  void measure_alone(const Held& held);
  void measure_together(std::span<const Held> some, std::uint64_t work);
  void measure(const Held& held, const std::function<void(std::uint64_t)>& progress);
  void count(const Held& held);
  [[nodiscard]] bool may_be_noise(const Held& held) const;
  /// Whether anything is held for a row.
  [[nodiscard]] bool may_be_held(std::size_t row) const;
  [[nodiscard]] std::optional<Held> held_of(std::size_t row);
  [[nodiscard]] Held held_of_compact(std::size_t row);
  [[nodiscard]] std::vector<std::size_t> suspicious_rows() const;
  struct Input {
    const Tensor* of_b = nullptr;  ///< Null if unknown.
    std::string path;
  };
  /// Returns the inputs of a row's layer that are known and nearly equal in both; at least one
  /// element.
  [[nodiscard]] std::vector<Input> inputs_of(const ComparisonRow& row);

  const CompareOptions& options_;
  Filter filter_;
  mutable UseMarks used_tolerances_;
  Renames renames_;
  Noise noise_;
  std::vector<Held> held_;   // Ordered by row.
  std::deque<Tensor> made_;  // Made of nodes that are not tensors.
  CompactValues compact_values_;
  detail::PathText kept_paths_;  // Paths of rows about parts of records.
  NameOf name_of_;
  Comparison result_;
  RowStore& rows_;               // The rows of `result_`.
  std::uint64_t all_bytes_ = 0;  // Of the held tensors.
};

}  // namespace safestructures::inline v0::comparing
