#include "compare/pairing/suggest.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include <safestructures/tools/statistics.hpp>
#include "compare/pairing/summary.hpp"
#include "compare/pairing/tree_nodes.hpp"

namespace safestructures::inline v0::comparing {
namespace {

// Above this number, tensors of one shape are paired by order alone, as are records whose
// comparison would take longer than that of this many tensors.
constexpr std::size_t most_alike = 512;
// The largest distance between statistics of tensors that are the same except for rounding, and
// except for noise.
constexpr double same = 1e-6;
constexpr double alike = 1e-2;

struct Group {
  std::vector<std::size_t> a;
  std::vector<std::size_t> b;
};

/// The statistics that are compared; all of them take a kilobyte.
struct Moments {
  double l2_norm;
  double mean;
  double standard_deviation;
  double min;
  double max;
  double root;  ///< The square root of the count.
  std::uint64_t nan;
  std::uint64_t infinities;
};

Moments moments_of(const Value& value) {
  const std::optional<KeptStatistics> summary = summary_of(value);
  const TensorStatistics found = summary ? summary->statistics : statistics(value.tensor());
  return {found.l2_norm,
          found.mean,
          found.standard_deviation,
          found.min,
          found.max,
          std::sqrt(static_cast<double>(std::max<std::uint64_t>(found.count, 1))),
          found.nan,
          found.positive_infinities + found.negative_infinities};
}

double distance(const Moments& a, const Moments& b) {
  // The sums do not include numbers that are not finite.
  if (a.nan != b.nan || a.infinities != b.infinities) return HUGE_VAL;
  const double scale = std::max({std::abs(b.l2_norm), std::abs(a.l2_norm), 1e-300});
  const double root = b.root;
  double furthest = std::abs(a.l2_norm - b.l2_norm) / scale;
  for (const double apart : {a.mean - b.mean, a.standard_deviation - b.standard_deviation,
                             (a.min - b.min) / root, (a.max - b.max) / root})
    furthest = std::max(furthest, std::abs(apart) * root / scale);
  return furthest;
}

/// Returns the largest distance of any leaves, or that of the first ones that are too far apart.
double distance(const std::vector<Moments>& a, const std::vector<Moments>& b) {
  double furthest = 0;
  for (std::size_t i = 0; i < a.size() && furthest <= alike; ++i)
    furthest = std::max(furthest, distance(a[i], b[i]));
  return furthest;
}

std::string shape_text(DType dtype, const Shape& shape) {
  return (is_floating(dtype)                     ? "f"
          : to_string(dtype).substr(0, 1) == "C" ? "c"
                                                 : "i") +
         to_string(shape);
}

/// Returns a key that is equal for items that may be the same.
std::string group_name(const Lone& lone) {
  std::string key;
  for (const Leaf& leaf : lone.leaves) {
    const std::optional<KeptStatistics> summary = summary_of(*leaf.value);
    key += leaf.path + '\n';
    key += summary ? shape_text(summary->dtype, summary->shape)
                   : shape_text(leaf.value->tensor().dtype(), leaf.value->tensor().shape());
    key += '\n';
  }
  return key;
}

class Pairing {
 public:
  Pairing(std::span<const Lone> a, std::span<const Lone> b, const NameOf& name_of)
      : a_(a), b_(b), name_of_(name_of), partner_(a.size()), is_taken_(b.size()) {}

  void by_numbers(const Group& group) {
    if (group.a.size() > most_alike || group.b.size() > most_alike) return;
    const std::size_t leaves = a_[group.a.front()].leaves.size();
    if (group.a.size() * group.b.size() > most_alike * most_alike / leaves) return;
    std::vector<std::vector<Moments>> numbers_a;
    std::vector<std::vector<Moments>> numbers_b;
    numbers_a.reserve(group.a.size());
    numbers_b.reserve(group.b.size());
    for (const std::size_t i : group.a) numbers_a.push_back(moments_of(a_[i], false));
    for (const std::size_t i : group.b) numbers_b.push_back(moments_of(b_[i], true));
    std::vector<std::tuple<double, std::size_t, std::size_t>> near;
    std::vector<std::size_t> same_of_a(group.a.size());
    std::vector<std::size_t> same_of_b(group.b.size());
    for (std::size_t i = 0; i < numbers_a.size(); ++i)
      for (std::size_t j = 0; j < numbers_b.size(); ++j) {
        const double apart = distance(numbers_a[i], numbers_b[j]);
        if (apart > alike) continue;
        near.emplace_back(apart, i, j);
        if (apart > same) continue;
        ++same_of_a[i];
        ++same_of_b[j];
      }
    std::ranges::sort(near);
    for (const auto& [apart, i, j] : near) {
      // As in `by_order`: of several zeros or ones, such as new biases, one may be any.
      if (partner_[group.a[i]] || is_taken_[group.b[j]] || same_of_a[i] != same_of_b[j]) continue;
      pair(group.a[i], group.b[j], apart <= same ? "same statistics" : "like statistics");
    }
  }

  void by_order(const Group& group) {
    std::vector<std::size_t> left_a;
    std::vector<std::size_t> left_b;
    for (const std::size_t i : group.a)
      if (!partner_[i]) left_a.push_back(i);
    for (const std::size_t i : group.b)
      if (!is_taken_[i]) left_b.push_back(i);
    // If one side has more of them, nothing tells which ones are meant.
    if (left_a.size() != left_b.size()) return;
    for (std::size_t i = 0; i < left_a.size(); ++i)
      pair(left_a[i], left_b[i],
           left_a.size() == 1 ? "the only ones left of their shape" : "same shape and place");
  }

  [[nodiscard]] std::vector<RenameSuggestion> result() const {
    std::vector<RenameSuggestion> found;
    for (std::size_t i = 0; i < a_.size(); ++i)
      if (partner_[i])
        found.push_back({a_[i].name, b_[partner_[i]->index].name, partner_[i]->reason});
    return found;
  }

 private:
  [[nodiscard]] std::vector<Moments> moments_of(const Lone& lone, bool is_of_b) const {
    std::vector<Moments> moments;
    moments.reserve(lone.leaves.size());
    for (const Leaf& leaf : lone.leaves) {
      try {
        moments.push_back(comparing::moments_of(*leaf.value));
      } catch (const Error& error) {
        const Tensor* const tensor = &leaf.value->tensor();
        throw located(error, label_of(lone.name, leaf.path),
                      is_of_b ? ReadTensors{nullptr, tensor} : ReadTensors{tensor, nullptr},
                      name_of_);
      }
    }
    return moments;
  }

  struct Partner {
    std::size_t index;
    std::string reason;
  };
  void pair(std::size_t i, std::size_t j, const char* reason) {
    partner_[i] = Partner{j, reason};
    is_taken_[j] = true;
  }

  std::span<const Lone> a_;
  std::span<const Lone> b_;
  const NameOf& name_of_;
  std::vector<std::optional<Partner>> partner_;
  std::vector<bool> is_taken_;
};

}  // namespace

std::vector<RenameSuggestion> suggest(std::span<const Lone> a, std::span<const Lone> b,
                                      const NameOf& name_of) {
  std::map<std::string, Group> groups;
  for (std::size_t i = 0; i < a.size(); ++i) groups[group_name(a[i])].a.push_back(i);
  for (std::size_t i = 0; i < b.size(); ++i) groups[group_name(b[i])].b.push_back(i);
  Pairing pairing(a, b, name_of);
  for (const auto& [shape, group] : groups) {
    if (group.a.empty() || group.b.empty()) continue;
    pairing.by_numbers(group);
    pairing.by_order(group);
  }
  return pairing.result();
}

}  // namespace safestructures::inline v0::comparing
