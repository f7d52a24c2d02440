/// \file
/// Two structures, node by node.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/options.hpp>
#include "compare/nodes.hpp"
#include "compare/noise.hpp"
#include "compare/rename.hpp"

namespace safestructures::inline v0::comparing {

/// One node, or two of them that are one.
struct Pair {
  const TreeNode* a = nullptr;  ///< Null: in b only.
  const TreeNode* b = nullptr;
};

/// Whether a glob of the options is of that path.
bool matches(const std::string& glob, const std::string& text);

/// Compares structures one after the other into one result.
class Comparer {
 public:
  /// \throws Error `invalid_argument`
  Comparer(const CompareOptions& options, bool of_recordings);

  /// Pairs nodes: by the rules for renames, then by their paths; the first of several nodes of one
  /// path with the first. Those of b alone come last.
  [[nodiscard]] std::vector<Pair> pair(const std::vector<TreeNode>& a,
                                       const std::vector<TreeNode>& b);

  /// Makes room for that many rows, which will be there unless options leave them out.
  void reserve(std::size_t rows);
  /// Adds rows for what was paired, whose values stay until `suspect`.
  /// \param other_name of the record in the second recording
  void add(const std::vector<Pair>& pairs, const std::optional<RecordPlace>& record = {},
           const std::string& other_name = {});
  /// Adds a row for a record that one recording alone has.
  void add_lone(const RecordPlace& record, Verdict verdict, std::string detail);

  /// Bytes of tensors that `add` would read.
  [[nodiscard]] std::uint64_t bytes_of(const std::vector<Pair>& pairs) const;
  void expect(std::uint64_t bytes) noexcept { all_bytes_ = bytes; }

  [[nodiscard]] Renames& renames() noexcept { return renames_; }
  [[nodiscard]] bool is_wanted(const std::string& path) const;
  /// Compares the numbers of all rows that were added: these have no verdict before. Called once.
  void measure();
  /// Looks for faults that explain rows beyond their tolerance: of recordings those that make an
  /// error and the first that differs, else all. Called when every row is there.
  void suspect();
  /// Adds the notes on what the options said and what did not come of it.
  void add_notes();
  Comparison& result() noexcept { return result_; }

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
  /// The tensor of a node; of a float a tensor made of it.
  [[nodiscard]] const Tensor& tensor_of(const Value& value);
  [[nodiscard]] bool is_different(ComparisonRow& row) const;
  /// Whether the call says the tolerance of a path.
  [[nodiscard]] bool is_given(const std::string& path) const;
  void look_for_transpose(const Tensor& a, const Tensor& b, ComparisonRow& row) const;
  void count(Verdict verdict);
  [[nodiscard]] std::optional<Tolerance> tolerance_of(const std::string& path, const Tensor& a,
                                                      const Tensor& b,
                                                      const RecordedDTypes& recorded) const;

  /// Tensors of a row, which are looked at again where they differ. Copies of 200,000 would take
  /// more memory than they have themselves.
  struct Held {
    std::size_t row = 0;
    const Tensor* a = nullptr;
    const Tensor* b = nullptr;
    RecordedDTypes recorded;
  };
  void measure_alone(const Held& held);
  void measure_together(std::span<const Held> some, std::uint64_t work);
  void measure(const Held& held, const std::function<void(std::uint64_t)>& progress);
  void count(const Held& held);
  [[nodiscard]] bool may_be_noise(const Held& held) const;
  /// Null where it is not held.
  [[nodiscard]] const Held* held_of(std::size_t row) const;
  [[nodiscard]] std::vector<std::size_t> suspicious_rows() const;
  /// What went into the layer of a row, where it is known and much the same in both; else null.
  [[nodiscard]] const Tensor* input_of(const ComparisonRow& row) const;

  const CompareOptions& options_;
  Renames renames_;
  Noise noise_;
  std::vector<Held> held_;     // In the order of their rows.
  std::deque<Tensor> floats_;  // Of what is no tensor.
  Comparison result_;
  std::uint64_t all_bytes_ = 0;
};

}  // namespace safestructures::inline v0::comparing
