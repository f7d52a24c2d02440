#include "compare/nodes/node_comparer.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>

#include <safestructures/codecs/numbers.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/tools/statistics.hpp>
#include "compare/metrics/row_detail.hpp"
#include "compare/metrics/statistics_metrics.hpp"
#include "compare/metrics/transpose.hpp"
#include "compare/pairing/summary.hpp"
#include "compare/pairing/tree_nodes.hpp"
#include "data/complex_pairs.hpp"
#include "data/text/column_names.hpp"
#include "data/text/printable.hpp"

namespace safestructures::inline v0::comparing {
namespace {

std::string both_described(const Value& a, const Value& b) {
  return describe(a) + " and " + describe(b);
}

/// Whether a value is only a container. A set is not: it is compared as a whole.
bool holds_others(const Value& value) {
  return value.kind() != Kind::set && (value.is_sequence() || value.is_mapping());
}

/// \param number a float or a complex
bool is_finite(const Value& number) {
  if (number.kind() == Kind::floating) return std::isfinite(number.as_double());
  const std::complex<double> parts = number.as_complex();
  return std::isfinite(parts.real()) && std::isfinite(parts.imag());
}

/// Whether statistics stand for one of the tensors at least.
bool are_compared_by_summary(const NodePair& pair) {
  const TreeNode& a = *pair.a;
  const TreeNode& b = *pair.b;
  return (a.is_summary && (b.is_summary || b.value->kind() == Kind::tensor)) ||
         (b.is_summary && a.value->kind() == Kind::tensor);
}

bool are_of_one_kind(const Value& a, const Value& b) {
  return a.kind() == b.kind() && (a.kind() != Kind::custom || a.type_name() == b.type_name());
}

/// Returns the first number in two columns of enums that has another name in each; empty if none.
std::string differently_named(const Value& a, const Value& b) {
  const Value* const names = detail::names_of_column(a);
  if (names == nullptr || detail::names_of_column(b) == nullptr) return {};
  for (const Entry& name : names->entries()) {
    const auto number =
        name.value.kind() == Kind::integer ? name.value.as_int64() : std::optional<std::int64_t>();
    const std::string* const other = number ? detail::name_in_column(b, *number) : nullptr;
    if (other == nullptr || name.key.kind() != Kind::string || name.key == *other) continue;
    return std::to_string(*number) + " is " + detail::in_quotes(name.key.as_string()) + " and " +
           detail::in_quotes(*other);
  }
  return {};
}

/// Whether a value is complex numbers of double precision, and a tensor those of single precision.
bool are_pairs_of(const Value& value, const Tensor& tensor) {
  return tensor.dtype() == DType::C64 && detail::is_marked_complex(value) &&
         detail::have_pairs_of(value.tensor().shape(), tensor);
}

KeptStatistics statistics_of(const TreeNode& node) {
  return node.is_summary ? *summary_of(*node.value) : summary_of(node.value->tensor());
}

/// Returns the dtype of a tensor or of the one that a summary is of.
SideDType dtype_of(const TreeNode& node, const KeptStatistics& statistics) {
  return {statistics.dtype, node.is_summary ? std::nullopt : recorded_dtype(*node.value)};
}

Verdict verdict_by(const StatisticsComparison& found, const KeptStatistics& b) {
  if (!found.proof.empty()) return Verdict::different;
  if (b.statistics.finite() == 0) return Verdict::nothing;
  return found.metrics.has_same_hash.value_or(false) ? Verdict::equal : Verdict::close;
}

}  // namespace

bool NodeComparer::compare(const NodePair& pair, ComparisonRow& row) {
  if (pair.is_lone()) {
    // Its contents have rows of their own.
    if (pair.first().has_children()) return false;
    row.verdict = pair.a != nullptr ? Verdict::only_a : Verdict::only_b;
    row.detail = describe(*pair.first().value);
    return true;
  }
  const Value& a = *pair.a->value;
  const Value& b = *pair.b->value;
  if (are_compared_by_summary(pair)) {
    compare_summaries(pair, row);
    return true;
  }
  if (!are_of_one_kind(a, b)) {
    row.verdict = Verdict::kind;
    row.detail = both_described(a, b);
    return true;
  }
  if (a.has_tensor()) {
    compare_tensors(a, b, row);
    return true;
  }
  if (pair.a->has_children() || pair.b->has_children()) return compare_sizes(a, b, row);
  return compare_values(a, b, row);
}

bool NodeComparer::compare_sizes(const Value& a, const Value& b, ComparisonRow& row) {
  if (size_of(a) == size_of(b)) return false;
  row.verdict = Verdict::size;
  row.detail = both_described(a, b);
  return true;
}

bool NodeComparer::compare_values(const Value& a, const Value& b, ComparisonRow& row) {
  if (is_number(a) && (a != b || !is_finite(a))) {
    hold_numbers({&draft_.held.tensor_of(a), &draft_.held.tensor_of(b)}, row);
    return true;
  }
  if (!holds_others(a)) ++draft_.result.coverage.values;
  if (a == b) return false;
  row.verdict = Verdict::value;
  row.detail = both_described(a, b);
  return true;
}

void NodeComparer::compare_tensors(const Value& a, const Value& b, ComparisonRow& row) {
  TensorPair tensors{&a.tensor(), &b.tensor(), {recorded_dtype(a), recorded_dtype(b)}};
  const BothDTypes dtypes = tensors.dtypes();
  if (are_pairs_of(b, a.tensor())) tensors.a = &draft_.held.pairs_of(a.tensor());
  if (are_pairs_of(a, b.tensor())) tensors.b = &draft_.held.pairs_of(b.tensor());
  if (!compare_types({tensors.a->shape(), dtypes.a}, {tensors.b->shape(), dtypes.b}, row)) {
    if (row.verdict == Verdict::shape && rules_.options.suggest)
      recognise_transpose(*tensors.a, *tensors.b, row);
    return;
  }
  if (const std::string named = differently_named(a, b); !named.empty()) {
    row.verdict = Verdict::value;
    row.detail = named;
    return;
  }
  hold_numbers(tensors, row);
}

bool NodeComparer::compare_types(const Type& a, const Type& b, ComparisonRow& row) const {
  if (a.shape != b.shape) {
    row.verdict = Verdict::shape;
    row.detail = to_string(a.shape) + " and " + to_string(b.shape);
    return false;
  }
  row.detail = BothDTypes{a.dtype, b.dtype}.difference_text();
  if (!rules_.options.exact_dtypes || a.dtype.stored == b.dtype.stored) return true;
  row.verdict = Verdict::dtype;
  return false;
}

void NodeComparer::compare_summaries(const NodePair& pair, ComparisonRow& row) {
  const KeptStatistics a = statistics_of(*pair.a);
  const KeptStatistics b = statistics_of(*pair.b);
  const BothDTypes dtypes{dtype_of(*pair.a, a), dtype_of(*pair.b, b)};
  if (!compare_types({a.shape, dtypes.a}, {b.shape, dtypes.b}, row)) return;
  row.shape = b.shape;
  ++draft_.result.coverage.statistics;
  if (draft_.result.has_noise) ++draft_.result.coverage.without_noise;
  const StatisticsComparison found =
      compare_statistics(a, b, rules_.tolerances.of(row.path, dtypes));
  row.statistics = found.metrics;
  row.verdict = verdict_by(found, b);
  add_detail(row, found.proof.empty() ? "by statistics" : "by statistics: " + found.proof);
}

void NodeComparer::hold_numbers(const TensorPair& tensors, ComparisonRow& row) {
  row.shape = tensors.a->shape();
  draft_.held.hold(draft_.rows.size() - 1, tensors);
  draft_.progress.expect(tensors.byte_size());
}

}  // namespace safestructures::inline v0::comparing
