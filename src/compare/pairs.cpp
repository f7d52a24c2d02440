#include "compare/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include "compare/metrics/ulp.hpp"
#include "compare/pairing/summary.hpp"
#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// Nodes by a text that several may have.
class ByText {
 public:
  void add(const std::string& text, const TreeNode& node) { nodes_[text].nodes.push_back(&node); }
  /// Takes the next node with that text; null if there is none left.
  const TreeNode* take(std::string_view text) {
    const auto found = nodes_.find(text);
    if (found == nodes_.end()) return nullptr;
    Queue& queue = found->second;
    return queue.next < queue.nodes.size() ? queue.nodes[queue.next++] : nullptr;
  }

 private:
  struct Queue {
    std::vector<const TreeNode*> nodes;
    std::size_t next = 0;
  };
  std::unordered_map<std::string, Queue, detail::KeyedHash, std::equal_to<>> nodes_;
};

std::size_t size_of(const Value& value) {
  return value.is_sequence() || value.is_mapping() ? value.size() : 0;
}

/// Whether a value is only a container. A set is not: it is compared as a whole.
bool holds_others(const Value& value) {
  return value.kind() != Kind::set && (value.is_sequence() || value.is_mapping());
}

/// Whether a pair, or a node without a partner, has children that are paired separately.
bool has_children(const Pair& pair) {
  return (pair.a == nullptr || pair.a->has_children()) &&
         (pair.b == nullptr || pair.b->has_children());
}

/// \param number a float or a complex
bool is_finite(const Value& number) {
  if (number.kind() == Kind::floating) return std::isfinite(number.as_double());
  const std::complex<double> parts = number.as_complex();
  return std::isfinite(parts.real()) && std::isfinite(parts.imag());
}

void require_sane(const Tolerance& tolerance) {
  // Comparisons with NaN are false.
  if (tolerance.rtol >= 0 && tolerance.atol >= 0 && std::isfinite(tolerance.rtol) &&
      std::isfinite(tolerance.atol))
    return;
  throw Error(ErrorCode::invalid_argument, "a tolerance cannot be that",
              {.expected = "finite numbers from 0 on",
               .found = "rtol " + std::to_string(tolerance.rtol) + ", atol " +
                        std::to_string(tolerance.atol)});
}

}  // namespace

std::string dtype_text(DType dtype, const std::optional<DType>& was) {
  std::string text(to_string(dtype));
  if (was) text += ", was " + std::string(to_string(*was));
  return text;
}

Comparer::Comparer(const CompareOptions& options, bool of_recordings)
    : options_(options),
      filter_(options.only, options.ignore),
      used_tolerances_(options.tolerances.size()),
      renames_(options.renames),
      noise_(options, of_recordings),
      rows_(RowStore::make_for(result_.rows)) {
  result_.is_of_recordings = of_recordings;
  result_.has_noise = !noise_.empty();
  require_sane({options.rtol.value_or(0), options.atol.value_or(0)});
  for (const ToleranceRule& rule : options.tolerances) require_sane(rule.tolerance);
}

std::vector<Pair> Comparer::pair(const std::vector<TreeNode>& a, const std::vector<TreeNode>& b) {
  std::vector<Pair> pairs(a.size());
  // The usual case: two runs of one program.
  if (renames_.empty() && std::ranges::equal(a, b, {}, &TreeNode::path, &TreeNode::path)) {
    for (std::size_t i = 0; i < a.size(); ++i) pairs[i] = {&a[i], &b[i]};
    return pairs;
  }
  ByText paths;
  ByText names;
  for (const TreeNode& node : b) {
    paths.add(node.path, node);
    if (!renames_.empty()) names.add(node.name, node);
  }
  std::unordered_set<const TreeNode*> used;
  const auto take_unused = [&used](ByText& nodes, std::string_view text) {
    const TreeNode* found = nodes.take(text);
    while (found != nullptr && !used.insert(found).second) found = nodes.take(text);
    return found;
  };
  // Renamed nodes first, so that no other node takes their partners.
  std::vector<bool> is_renamed(a.size());
  for (std::size_t i = 0; i < a.size() && !renames_.empty(); ++i) {
    // The root has the same path as a tensor without a name.
    if (i == 0 && a[i].has_children()) continue;
    const auto path = renames_.path(a[i].path);
    const auto renamed = path ? path : renames_.name(a[i].name);
    if (!renamed) continue;
    is_renamed[i] = true;
    const TreeNode* const found = take_unused(path ? paths : names, renamed->text());
    pairs[i].b = found;
    if (found == nullptr) continue;
    // Matching only containers does not count as used: their contents have paths of their own.
    if (!a[i].has_children() || !found->has_children()) renamed->use();
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    pairs[i].a = &a[i];
    if (!is_renamed[i]) pairs[i].b = take_unused(paths, a[i].path);
  }
  for (const TreeNode& node : b)
    if (!used.contains(&node)) pairs.push_back({nullptr, &node});
  return pairs;
}

void Comparer::add(const std::vector<Pair>& pairs, const std::optional<RecordPlace>& record,
                   const std::string& other_name) {
  const std::string name = record ? record->name : std::string();
  const std::string name_b = other_name.empty() ? name : other_name;
  const auto set_paths = [&](const Pair& pair, ComparisonRow& row) {
    row.path = pair.a != nullptr ? label_of(name, pair.a->path) : label_of(name_b, pair.b->path);
    if (pair.a == nullptr || pair.b == nullptr) return;
    std::string other = label_of(name_b, pair.b->path);
    if (other != row.path) row.other_path = std::move(other);
  };
  IgnoredChildren ignored_a;
  IgnoredChildren ignored_b;
  for (const Pair& pair : filter_.can_ignore() ? std::span(pairs) : std::span<const Pair>()) {
    ComparisonRow row;
    set_paths(pair, row);
    if (!filter_.is_ignored(row.path, row.other_path, has_children(pair))) continue;
    if (pair.a != nullptr) ignored_a.add(pair.a->path);
    if (pair.b != nullptr) ignored_b.add(pair.b->path);
  }
  const auto is_excused = [&](const Pair& pair, const ComparisonRow& row) {
    return row.verdict == Verdict::size &&
           size_of(*pair.a->value) - ignored_a.count_in(pair.a->path) ==
               size_of(*pair.b->value) - ignored_b.count_in(pair.b->path);
  };
  for (const Pair& pair : pairs) {
    // In place, because a row has some 800 bytes.
    ComparisonRow& row = rows_.add();
    set_paths(pair, row);
    if (!filter_.is_wanted(row.path, row.other_path, has_children(pair))) {
      // Containers are not counted in addition to their contents.
      const TreeNode& node = pair.a != nullptr ? *pair.a : *pair.b;
      if (!node.has_children()) ++result_.coverage.filtered;
      rows_.take_back();
      continue;
    }
    try {
      if (add_pair(pair, row) && !is_excused(pair, row)) {
        row.record = record;
        kept_paths_.add(row.path);
        count(row.verdict);
      } else {
        rows_.take_back();
      }
    } catch (const Error& error) {
      if (!error.details().path.empty()) throw;
      throw error.with_path(pair.a != nullptr ? pair.a->path : pair.b->path);
    }
  }
}

void Comparer::add_notes() {
  std::vector<std::string> notes = renames_.unused();
  std::ranges::move(filter_.unused(), std::back_inserter(notes));
  std::ranges::move(unused_tolerances(), std::back_inserter(notes));
  if (const std::uint64_t without = result_.coverage.without_noise; without != 0)
    notes.push_back(
        "tensors of which no run of the noise tells how large it is, so that tolerances alone "
        "decide: " +
        std::to_string(without));
  if (const std::uint64_t large = result_.coverage.large_noise; large != 0)
    notes.push_back(
        "tensors that are excused by noise as large as they are, as of a run that is another: " +
        std::to_string(large));
  if (const std::uint64_t count = result_.coverage.statistics; count != 0)
    notes.push_back(
        "tensors compared by their statistics, where what is close may still hold single numbers "
        "that are not: " +
        std::to_string(count));
  std::ranges::move(notes, std::back_inserter(result_.notes));
}

Comparer::Part Comparer::wanted_part(const std::string& name, const std::string& other,
                                     const Value& value) const {
  if (filter_.empty()) return Part::all;
  const std::vector<TreeNode> nodes = nodes_of(value);
  const bool has_children = nodes.front().has_children();
  const bool is_whole = filter_.is_wanted(name, other, has_children);
  if (!has_children) return is_whole ? Part::all : Part::none;
  bool is_any = false;
  bool are_all_ignored = true;
  for (const TreeNode& node : nodes) {
    if (node.has_children()) continue;
    const std::string label = label_of(name, node.path);
    const std::string other_label = other.empty() ? other : label_of(other, node.path);
    is_any = filter_.is_wanted(label, other_label) || is_any;
    are_all_ignored = are_all_ignored && filter_.is_ignored(label, other_label);
  }
  if (is_whole && !are_all_ignored) return Part::all;
  return is_any ? Part::some : Part::none;
}

void Comparer::add_lone(const RecordPlace& record, const Value& value, bool is_of_b) {
  switch (wanted_part(record.name, {}, value)) {
    case Part::none: ++result_.coverage.filtered; break;
    case Part::all:
      add_whole(record, is_of_b ? Verdict::only_b : Verdict::only_a,
                "record of " + describe(value));
      break;
    case Part::some: {
      const std::vector<TreeNode> nodes = nodes_of(value);
      std::vector<Pair> pairs;
      pairs.reserve(nodes.size());
      for (const TreeNode& node : nodes)
        pairs.push_back(is_of_b ? Pair{nullptr, &node} : Pair{&node, nullptr});
      add(pairs, record);
      break;
    }
  }
}

void Comparer::add_other_kind(const RecordPlace& record, const std::string& other_name,
                              const Value& value, std::string detail) {
  if (wanted_part(record.name, other_name, value) == Part::none) ++result_.coverage.filtered;
  else add_whole(record, Verdict::kind, std::move(detail));
}

void Comparer::add_whole(const RecordPlace& record, Verdict verdict, std::string detail) {
  ComparisonRow& row = rows_.add();
  row.path = record.name;
  row.record = record;
  row.verdict = verdict;
  row.detail = std::move(detail);
  count(verdict);
}

void Comparer::count(Verdict verdict) {
  Coverage& coverage = result_.coverage;
  if (verdict == Verdict::only_a) ++coverage.only_a;
  if (verdict == Verdict::only_b) ++coverage.only_b;
  if (verdict == Verdict::nothing) ++coverage.nothing;
}

bool Comparer::add_pair(const Pair& pair, ComparisonRow& row) {
  if (pair.a == nullptr || pair.b == nullptr) {
    const TreeNode& node = pair.a != nullptr ? *pair.a : *pair.b;
    // Its contents have rows of their own.
    if (node.has_children()) return false;
    row.verdict = pair.a != nullptr ? Verdict::only_a : Verdict::only_b;
    row.detail = describe(*node.value);
    return true;
  }
  const Value& a = *pair.a->value;
  const Value& b = *pair.b->value;
  if ((pair.a->is_summary && (pair.b->is_summary || b.kind() == Kind::tensor)) ||
      (pair.b->is_summary && a.kind() == Kind::tensor)) {
    add_summaries(pair, row);
    return true;
  }
  if (a.kind() != b.kind() || (a.kind() == Kind::custom && a.type_name() != b.type_name())) {
    row.verdict = Verdict::kind;
    row.detail = describe(a) + " and " + describe(b);
    return true;
  }
  if (pair.a->value->has_tensor()) {
    add_tensors(pair, row);
    return true;
  }
  if (pair.a->has_children() || pair.b->has_children()) {
    if (size_of(a) == size_of(b)) return false;
    row.verdict = Verdict::size;
    row.detail = describe(a) + " and " + describe(b);
    return true;
  }
  if (is_number(a) && (a != b || !is_finite(a))) {
    add_numbers(tensor_of(a), tensor_of(b), {}, row);
    return true;
  }
  if (!holds_others(a)) ++result_.coverage.values;
  if (a == b) return false;
  row.verdict = Verdict::value;
  row.detail = describe(a) + " and " + describe(b);
  return true;
}

const Tensor& Comparer::tensor_of(const Value& value) {
  return value.kind() == Kind::tensor ? value.tensor() : made_.emplace_back(numbers_of(value));
}

void Comparer::add_tensors(const Pair& pair, ComparisonRow& row) {
  const Value& a = *pair.a->value;
  const Value& b = *pair.b->value;
  const Tensor& left = a.tensor();
  const Tensor& right = b.tensor();
  if (left.shape() != right.shape()) {
    row.verdict = Verdict::shape;
    row.detail = to_string(left.shape()) + " and " + to_string(right.shape());
    if (options_.suggest) look_for_transpose(left, right, row);
    return;
  }
  const RecordedDTypes recorded{recorded_dtype(a), recorded_dtype(b)};
  if (left.dtype() != right.dtype() || recorded.a != recorded.b)
    row.detail =
        dtype_text(left.dtype(), recorded.a) + " and " + dtype_text(right.dtype(), recorded.b);
  if (options_.exact_dtypes && left.dtype() != right.dtype()) {
    row.verdict = Verdict::dtype;
    return;
  }
  add_numbers(left, right, recorded, row);
}

void Comparer::add_summaries(const Pair& pair, ComparisonRow& row) {
  const auto summary = [](const TreeNode& node) {
    return node.is_summary ? *summary_of(*node.value) : summary_of(node.value->tensor());
  };
  const KeptStatistics a = summary(*pair.a);
  const KeptStatistics b = summary(*pair.b);
  if (a.shape != b.shape) {
    row.verdict = Verdict::shape;
    row.detail = to_string(a.shape) + " and " + to_string(b.shape);
    return;
  }
  const auto recorded_of = [](const TreeNode& node) {
    return node.is_summary ? std::nullopt : recorded_dtype(*node.value);
  };
  const RecordedDTypes recorded{recorded_of(*pair.a), recorded_of(*pair.b)};
  if (a.dtype != b.dtype || recorded.a != recorded.b)
    row.detail = dtype_text(a.dtype, recorded.a) + " and " + dtype_text(b.dtype, recorded.b);
  if (options_.exact_dtypes && a.dtype != b.dtype) {
    row.verdict = Verdict::dtype;
    return;
  }
  row.shape = b.shape;
  ++result_.coverage.statistics;
  if (result_.has_noise) ++result_.coverage.without_noise;
  std::string proof;
  row.statistics =
      compare_summaries(a, b, tolerance_of(row.path, a.dtype, b.dtype, recorded), proof);
  if (!proof.empty()) row.verdict = Verdict::different;
  else if (b.statistics.finite() == 0) row.verdict = Verdict::nothing;
  else
    row.verdict = row.statistics->has_same_hash.value_or(false) ? Verdict::equal : Verdict::close;
  row.detail += (row.detail.empty() ? "" : "; ") + std::string("by statistics");
  if (!proof.empty()) row.detail += ": " + proof;
}

void Comparer::add_numbers(const Tensor& a, const Tensor& b, const RecordedDTypes& recorded,
                           ComparisonRow& row) {
  row.shape = a.shape();
  held_.push_back({rows_.size() - 1, &a, &b, recorded});
  all_bytes_ += a.byte_size() + b.byte_size();
}

}  // namespace safestructures::inline v0::comparing
