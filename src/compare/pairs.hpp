/// \file
/// Two structures, node by node.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/options.hpp>
#include "compare/nodes.hpp"
#include "compare/rename.hpp"

namespace safestructures::inline v0::comparing {

/// One node, or two of them that are one.
struct Pair {
  const TreeNode* a = nullptr;  ///< Null: in b only.
  const TreeNode* b = nullptr;
};

/// Compares structures one after the other into one result.
class Comparer {
 public:
  /// \throws Error `invalid_argument`
  explicit Comparer(const CompareOptions& options);

  /// Pairs nodes: by the rules for renames, then by their paths; the first of several nodes of one
  /// path with the first. Those of b alone come last.
  [[nodiscard]] std::vector<Pair> pair(const std::vector<TreeNode>& a,
                                       const std::vector<TreeNode>& b);

  /// Adds rows for what was paired. \param label in front of the path; empty for a file
  void add(const std::vector<Pair>& pairs, const std::optional<RecordPlace>& record = {},
           const std::string& other_name = {});
  /// Adds a row for a record that one recording alone has.
  void add_lone(const RecordPlace& record, Verdict verdict, std::string detail);

  /// Bytes of tensors that `add` would read.
  [[nodiscard]] std::uint64_t bytes_of(const std::vector<Pair>& pairs) const;
  void expect(std::uint64_t bytes) noexcept { all_bytes_ = bytes; }

  [[nodiscard]] Renames& renames() noexcept { return renames_; }
  [[nodiscard]] bool is_wanted(const std::string& path) const;
  Comparison& result() noexcept { return result_; }

 private:
  void add_pair(const Pair& pair, ComparisonRow row);
  void add_tensors(const Pair& pair, ComparisonRow row);
  void add_numbers(const Tensor& a, const Tensor& b, const RecordedDTypes& recorded,
                   ComparisonRow row);
  void look_for_transpose(const Tensor& a, const Tensor& b, ComparisonRow& row) const;
  void put(ComparisonRow row);
  [[nodiscard]] std::optional<Tolerance> tolerance_of(const std::string& path, const Tensor& a,
                                                      const Tensor& b,
                                                      const RecordedDTypes& recorded) const;

  const CompareOptions& options_;
  Renames renames_;
  Comparison result_;
  std::uint64_t all_bytes_ = 0;
};

/// The path of a row about a node of a record.
std::string label_of(const std::string& record, const std::string& path);

}  // namespace safestructures::inline v0::comparing
