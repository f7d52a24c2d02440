#include "compare/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include "compare/transpose.hpp"
#include "compare/ulp.hpp"
#include "data/keyed_hash.hpp"
#include "platform/os.hpp"

namespace safestructures::inline v0::comparing {
namespace {

/// The nodes by a text that several may have.
class ByText {
 public:
  void add(const std::string& text, const TreeNode& node) { nodes_[text].nodes.push_back(&node); }
  /// Takes the next of that text; null where there is none left.
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
  struct Hash : detail::KeyedHash {
    using is_transparent = void;
  };
  std::unordered_map<std::string, Queue, Hash, std::equal_to<>> nodes_;
};

std::optional<DType> recorded_dtype(const Value& value) {
  const Value* const note = value.attribute(attributes::dtype);
  if (note == nullptr || note->kind() != Kind::string) return std::nullopt;
  return parse_dtype(note->as_string());
}

std::string dtype_text(const Value& value) {
  std::string text(to_string(value.tensor().dtype()));
  if (const auto was = recorded_dtype(value)) text += ", was " + std::string(to_string(*was));
  return text;
}

bool matches(const std::string& glob, const std::string& text) {
  return platform::os::matches_glob(glob.c_str(), text.c_str());
}

/// A scalar as a tensor of one element.
Tensor tensor_of(double number) { return Tensor::own(std::vector<double>{number}, Shape{}); }

std::size_t size_of(const Value& value) {
  return value.is_sequence() || value.is_mapping() ? value.size() : 0;
}

void require_sane(const Tolerance& tolerance) {
  // NaN compares false.
  if (tolerance.rtol >= 0 && tolerance.atol >= 0 && std::isfinite(tolerance.rtol) &&
      std::isfinite(tolerance.atol))
    return;
  throw Error(ErrorCode::invalid_argument, "a tolerance cannot be that",
              {.expected = "finite numbers from 0 on",
               .found = "rtol " + std::to_string(tolerance.rtol) + ", atol " +
                        std::to_string(tolerance.atol)});
}

}  // namespace

std::string label_of(const std::string& record, const std::string& path) {
  if (record.empty()) return path;
  return path == "/" ? record : record + path;
}

Comparer::Comparer(const CompareOptions& options) : options_(options), renames_(options.renames) {
  require_sane({options.rtol.value_or(0), options.atol.value_or(0)});
  for (const ToleranceRule& rule : options.tolerances) require_sane(rule.tolerance);
}

bool Comparer::is_wanted(const std::string& path) const {
  return options_.only.empty() || std::ranges::any_of(options_.only, [&](const std::string& glob) {
           return matches(glob, path);
         });
}

std::vector<Pair> Comparer::pair(const std::vector<TreeNode>& a, const std::vector<TreeNode>& b) {
  ByText paths;
  ByText names;
  for (const TreeNode& node : b) {
    paths.add(node.path, node);
    if (!renames_.empty()) names.add(node.name, node);
  }
  std::vector<Pair> pairs(a.size());
  std::unordered_map<const TreeNode*, bool> used;
  // Renamed nodes first, so that nobody else takes their places.
  std::vector<bool> is_renamed(a.size());
  for (std::size_t i = 0; i < a.size() && !renames_.empty(); ++i) {
    if (const auto path = renames_.path(a[i].path)) {
      is_renamed[i] = true;
      pairs[i].b = paths.take(*path);
    } else if (const auto name = renames_.name(a[i].name)) {
      is_renamed[i] = true;
      pairs[i].b = names.take(*name);
    }
    if (pairs[i].b != nullptr) used[pairs[i].b] = true;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    pairs[i].a = &a[i];
    while (!is_renamed[i]) {
      const TreeNode* const found = paths.take(a[i].path);
      if (found != nullptr && !used.try_emplace(found, true).second) continue;
      pairs[i].b = found;
      break;
    }
  }
  for (const TreeNode& node : b)
    if (!used.contains(&node)) pairs.push_back({nullptr, &node});
  return pairs;
}

std::uint64_t Comparer::bytes_of(const std::vector<Pair>& pairs) const {
  std::uint64_t bytes = 0;
  for (const Pair& pair : pairs)
    if (pair.a != nullptr && pair.b != nullptr && pair.a->is_tensor() && pair.b->is_tensor() &&
        pair.a->value->tensor().shape() == pair.b->value->tensor().shape())
      bytes += pair.a->value->tensor().byte_size() + pair.b->value->tensor().byte_size();
  return bytes;
}

void Comparer::add(const std::vector<Pair>& pairs, const std::optional<RecordPlace>& record,
                   const std::string& other_name) {
  const std::string name = record ? record->name : std::string();
  const std::string name_b = other_name.empty() ? name : other_name;
  for (const Pair& pair : pairs) {
    ComparisonRow row;
    row.record = record;
    row.path = pair.a != nullptr ? label_of(name, pair.a->path) : label_of(name_b, pair.b->path);
    if (pair.a != nullptr && pair.b != nullptr) {
      std::string other = label_of(name_b, pair.b->path);
      if (other != row.path) row.other_path = std::move(other);
    }
    const bool is_wanted =
        this->is_wanted(row.path) || (!row.other_path.empty() && this->is_wanted(row.other_path));
    if (!is_wanted) {
      // What holds others is not counted beside them.
      const TreeNode& node = pair.a != nullptr ? *pair.a : *pair.b;
      if (!node.has_children()) ++result_.coverage.filtered;
      continue;
    }
    try {
      add_pair(pair, std::move(row));
    } catch (const Error& error) {
      if (!error.details().path.empty()) throw;
      throw error.with_path(pair.a != nullptr ? pair.a->path : pair.b->path);
    }
  }
}

void Comparer::add_lone(const RecordPlace& record, Verdict verdict, std::string detail) {
  if (!is_wanted(record.name)) {
    ++result_.coverage.filtered;
    return;
  }
  ComparisonRow row;
  row.path = record.name;
  row.record = record;
  row.verdict = verdict;
  row.detail = std::move(detail);
  put(std::move(row));
}

void Comparer::put(ComparisonRow row) {
  Coverage& coverage = result_.coverage;
  if (row.verdict == Verdict::only_a) ++coverage.only_a;
  if (row.verdict == Verdict::only_b) ++coverage.only_b;
  if (row.verdict == Verdict::nothing) ++coverage.nothing;
  result_.rows.push_back(std::move(row));
}

void Comparer::add_pair(const Pair& pair, ComparisonRow row) {
  if (pair.a == nullptr || pair.b == nullptr) {
    const TreeNode& node = pair.a != nullptr ? *pair.a : *pair.b;
    // What it holds has rows of its own.
    if (node.has_children()) return;
    row.verdict = pair.a != nullptr ? Verdict::only_a : Verdict::only_b;
    row.detail = describe(*node.value);
    return put(std::move(row));
  }
  const Value& a = *pair.a->value;
  const Value& b = *pair.b->value;
  if (a.kind() != b.kind() || (a.kind() == Kind::custom && a.type_name() != b.type_name())) {
    row.verdict = Verdict::kind;
    row.detail = describe(a) + " and " + describe(b);
    return put(std::move(row));
  }
  if (pair.a->is_tensor()) return add_tensors(pair, std::move(row));
  if (pair.a->has_children() || pair.b->has_children()) {
    if (size_of(a) == size_of(b)) return;
    row.verdict = Verdict::size;
    row.detail = describe(a) + " and " + describe(b);
    return put(std::move(row));
  }
  ++result_.coverage.values;
  if (a == b) return;
  if (a.kind() == Kind::floating) {
    --result_.coverage.values;
    return add_numbers(tensor_of(a.as_double()), tensor_of(b.as_double()), {}, std::move(row));
  }
  row.verdict = Verdict::value;
  row.detail = describe(a) + " and " + describe(b);
  put(std::move(row));
}

void Comparer::add_tensors(const Pair& pair, ComparisonRow row) {
  const Value& a = *pair.a->value;
  const Value& b = *pair.b->value;
  const Tensor& left = a.tensor();
  const Tensor& right = b.tensor();
  if (left.shape() != right.shape()) {
    row.verdict = Verdict::shape;
    row.detail = to_string(left.shape()) + " and " + to_string(right.shape());
    if (options_.suggest) look_for_transpose(left, right, row);
    return put(std::move(row));
  }
  if (dtype_text(a) != dtype_text(b)) row.detail = dtype_text(a) + " and " + dtype_text(b);
  if (options_.exact_dtypes && left.dtype() != right.dtype()) {
    row.verdict = Verdict::dtype;
    return put(std::move(row));
  }
  add_numbers(left, right, {recorded_dtype(a), recorded_dtype(b)}, std::move(row));
}

std::optional<Tolerance> Comparer::tolerance_of(const std::string& path, const Tensor& a,
                                                const Tensor& b,
                                                const RecordedDTypes& recorded) const {
  for (const ToleranceRule& rule : options_.tolerances)
    if (matches(rule.paths, path)) return rule.tolerance;
  if (!options_.rtol && !options_.atol) return std::nullopt;
  if (!is_floating(a.dtype()) && a.dtype() != DType::C64 && !is_floating(b.dtype()) &&
      b.dtype() != DType::C64)
    return std::nullopt;
  if (options_.rtol && options_.atol) return Tolerance{*options_.rtol, *options_.atol};
  // One of the two is what the dtypes say.
  const Tensor nothing_a = Tensor::allocate(a.dtype(), Shape{0});
  const Tensor nothing_b = Tensor::allocate(b.dtype(), Shape{0});
  const Tolerance usual = compare_tensors(nothing_a, nothing_b, {}, recorded).tolerance;
  return Tolerance{options_.rtol.value_or(usual.rtol), options_.atol.value_or(usual.atol)};
}

void Comparer::add_numbers(const Tensor& a, const Tensor& b, const RecordedDTypes& recorded,
                           ComparisonRow row) {
  const std::uint64_t bytes = a.byte_size() + b.byte_size();
  std::function<void(std::uint64_t)> progress;
  if (options_.progress)
    progress = [&](std::uint64_t elements) {
      // Elements may be narrower than a byte.
      options_.progress(static_cast<std::uint64_t>(static_cast<long double>(elements) *
                                                   static_cast<long double>(bytes) /
                                                   static_cast<long double>(a.size())),
                        all_bytes_);
    };
  row.metrics = compare_tensors(a, b, tolerance_of(row.path, a, b, recorded), recorded, progress);
  const TensorMetrics& found = *row.metrics;
  row.shape.assign(a.shape().begin(), a.shape().end());
  ++result_.coverage.tensors;
  result_.coverage.elements += found.count;
  result_.coverage.compared_elements += found.compared;
  if (!found.is_within()) row.verdict = Verdict::different;
  else if (found.compared == 0) row.verdict = Verdict::nothing;
  else row.verdict = found.is_exact() ? Verdict::equal : Verdict::close;
  if (row.verdict == Verdict::different && options_.suggest) look_for_transpose(a, b, row);
  put(std::move(row));
}

void Comparer::look_for_transpose(const Tensor& a, const Tensor& b, ComparisonRow& row) const {
  const std::optional<Transpose> found = find_transpose(a, b);
  if (!found) return;
  row.permutation = found->order;
  if (!row.detail.empty()) row.detail += "; ";
  row.detail += found->text();
}

}  // namespace safestructures::inline v0::comparing
