/// \file
/// Two structures, node by node.
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

/// One node, or two of them that are one.
struct Pair {
  const TreeNode* a = nullptr;  ///< Null: in b only.
  const TreeNode* b = nullptr;
};

/// `F32, was F16`: what a row says of the dtype of one side.
std::string dtype_text(DType dtype, const std::optional<DType>& was);

/// Compares structures one after the other into one result.
class Comparer {
 public:
  /// \throws Error `invalid_argument`
  Comparer(const CompareOptions& options, bool of_recordings);

  /// Pairs nodes: by the rules for renames, then by their paths; the first of several nodes of one
  /// path with the first. Those of b alone come last.
  [[nodiscard]] std::vector<Pair> pair(const std::vector<TreeNode>& a,
                                       const std::vector<TreeNode>& b);

  /// Adds rows for what was paired, whose values stay until `suspect`.
  /// \param other_name of the record in the second recording
  void add(const std::vector<Pair>& pairs, const std::optional<RecordPlace>& record = {},
           const std::string& other_name = {});
  /// How much of a record the globs ask for: by its name, or by the paths in it.
  enum class Part { none, some, all };
  /// \param other its name in b, where it has another
  [[nodiscard]] Part wanted_part(const std::string& name, const std::string& other,
                                 const Value& value) const;
  /// Adds a row for a record that one recording alone has, or one for each part that is asked for.
  void add_lone(const RecordPlace& record, const Value& value, bool is_of_b);
  /// Adds a row for records of which the two recordings keep what cannot be compared.
  void add_other_kind(const RecordPlace& record, const std::string& other_name, const Value& value,
                      std::string detail);

  /// What the options and the dtypes say for a path: of two dtypes the looser.
  [[nodiscard]] Tolerance tolerance_of(const std::string& path, DType a, DType b,
                                       const RecordedDTypes& recorded) const;

  /// Whether the call says the tolerance of a path.
  [[nodiscard]] bool is_given(const std::string& path, DType a, DType b,
                              const RecordedDTypes& recorded) const;

  /// The values of a compact row's records, by the record's place in the first recording.
  using CompactValues = std::function<std::pair<const Value*, const Value*>(std::size_t record)>;
  /// Says where they are, until `suspect`. They are asked for rows that are looked at again.
  void set_compact_values(CompactValues values) { compact_values_ = std::move(values); }
  /// How errors call the second side, or the first, where what is wrong names no file.
  using NameOf = std::function<std::string(bool is_of_b)>;
  void set_name_of(NameOf name_of) { name_of_ = std::move(name_of); }
  /// Has a compact row compared by `measure`, and kept whole. Its bytes were expected.
  /// \param row its place among all
  void hold_compact(std::size_t row);
  /// Says how many bytes of tensors are compared outside of `measure`, and when they are.
  /// @{
  void expect(std::uint64_t bytes) noexcept { all_bytes_ += bytes; }
  void report(std::uint64_t bytes) const { options_.progress(bytes, all_bytes_); }
  /// @}

  [[nodiscard]] Renames& renames() noexcept { return renames_; }
  [[nodiscard]] const Filter& filter() const noexcept { return filter_; }
  [[nodiscard]] const Noise& noise() const noexcept { return noise_; }
  /// Compares the numbers of all rows that were added: these have no verdict before. Called once.
  void measure();
  /// Looks for faults that explain rows beyond their tolerance: of recordings those that make an
  /// error and the first that differs, else all. Called when every row is there.
  void suspect();
  /// Adds the notes on what the options said and what did not come of it.
  void add_notes();
  Comparison& result() noexcept { return result_; }
  RowStore& rows() noexcept { return rows_; }

 private:
  /// Fills a row at the end of `result_`. \returns false where there is nothing to say in one
  /// @{
  [[nodiscard]] bool add_pair(const Pair& pair, ComparisonRow& row);
  void add_tensors(const Pair& pair, ComparisonRow& row);
  void add_summaries(const Pair& pair, ComparisonRow& row);
  /// Its numbers are compared by `measure`.
  void add_numbers(const Tensor& a, const Tensor& b, const RecordedDTypes& recorded,
                   ComparisonRow& row);
  /// @}
  /// The tensor of a node; of a float or a complex a tensor made of it.
  [[nodiscard]] const Tensor& tensor_of(const Value& value);
  void look_for_transpose(const Tensor& a, const Tensor& b, ComparisonRow& row) const;
  void count(Verdict verdict);
  void add_whole(const RecordPlace& record, Verdict verdict, std::string detail);
  /// Tensors of a row, which are looked at again where they differ. Copies of 200,000 would take
  /// more memory than they have themselves.
  struct Held {
    std::size_t row = 0;
    const Tensor* a = nullptr;
    const Tensor* b = nullptr;
    RecordedDTypes recorded;
  };
  /// The rule that decides; null where none does.
  [[nodiscard]] const ToleranceRule* rule_of(const std::string& path, DType dtype) const;
  /// A note on each rule for tolerances that decided nothing.
  [[nodiscard]] std::vector<std::string> unused_tolerances() const;
  [[nodiscard]] Tolerance tolerance_of(const std::string& path, DType dtype) const;
  [[nodiscard]] bool is_different(ComparisonRow& row, const Held& held) const;
  void measure_alone(const Held& held);
  void measure_together(std::span<const Held> some, std::uint64_t work);
  void measure(const Held& held, const std::function<void(std::uint64_t)>& progress);
  void count(const Held& held);
  [[nodiscard]] bool may_be_noise(const Held& held) const;
  /// Nothing where nothing is held.
  [[nodiscard]] bool may_be_held(std::size_t row) const;
  [[nodiscard]] std::optional<Held> held_of(std::size_t row);
  [[nodiscard]] Held held_of_compact(std::size_t row);
  [[nodiscard]] std::vector<std::size_t> suspicious_rows() const;
  struct Input {
    const Tensor* of_b = nullptr;  ///< Null: not known.
    std::string path;
  };
  /// What went into the layer of a row, where it is known and much the same in both: one at least.
  [[nodiscard]] std::vector<Input> inputs_of(const ComparisonRow& row);

  const CompareOptions& options_;
  Filter filter_;
  mutable UseMarks used_tolerances_;
  Renames renames_;
  Noise noise_;
  std::vector<Held> held_;   // In the order of their rows.
  std::deque<Tensor> made_;  // Of what is no tensor.
  CompactValues compact_values_;
  detail::PathText kept_paths_;  // Of the rows about records' parts.
  NameOf name_of_;
  Comparison result_;
  RowStore& rows_;               // Its own.
  std::uint64_t all_bytes_ = 0;  // Of the tensors that are held.
};

}  // namespace safestructures::inline v0::comparing
