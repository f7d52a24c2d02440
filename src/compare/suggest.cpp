#include "compare/suggest.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>

#include <safestructures/tools/statistics.hpp>

namespace safestructures::inline v0::comparing {
namespace {

// More tensors of one shape are paired by their order alone.
constexpr std::size_t most_alike = 512;
// Between the statistics of tensors that are the same but for rounding, and but for noise.
constexpr double same = 1e-6;
constexpr double alike = 1e-2;

struct Group {
  std::vector<std::size_t> a;
  std::vector<std::size_t> b;
};

double distance(const TensorStatistics& a, const TensorStatistics& b) {
  const double scale = std::max({std::abs(b.l2_norm), std::abs(a.l2_norm), 1e-300});
  const double root = std::sqrt(static_cast<double>(std::max<std::uint64_t>(b.count, 1)));
  double furthest = std::abs(a.l2_norm - b.l2_norm) / scale;
  for (const double apart : {a.mean - b.mean, a.standard_deviation - b.standard_deviation,
                             (a.min - b.min) / root, (a.max - b.max) / root})
    furthest = std::max(furthest, std::abs(apart) * root / scale);
  return furthest;
}

class Pairing {
 public:
  Pairing(std::span<const Lone> a, std::span<const Lone> b)
      : a_(a), b_(b), partner_(a.size()), is_taken_(b.size()) {}

  void by_numbers(const Group& group) {
    if (group.a.size() > most_alike || group.b.size() > most_alike) return;
    std::vector<TensorStatistics> numbers_a;
    std::vector<TensorStatistics> numbers_b;
    numbers_a.reserve(group.a.size());
    numbers_b.reserve(group.b.size());
    for (const std::size_t i : group.a) numbers_a.push_back(statistics(a_[i].tensor));
    for (const std::size_t i : group.b) numbers_b.push_back(statistics(b_[i].tensor));
    std::vector<std::tuple<double, std::size_t, std::size_t>> near;
    for (std::size_t i = 0; i < numbers_a.size(); ++i)
      for (std::size_t j = 0; j < numbers_b.size(); ++j)
        if (const double apart = distance(numbers_a[i], numbers_b[j]); apart <= alike)
          near.emplace_back(apart, group.a[i], group.b[j]);
    std::ranges::sort(near);
    for (const auto& [apart, i, j] : near)
      if (!partner_[i] && !is_taken_[j])
        pair(i, j, apart <= same ? "same statistics" : "like statistics");
  }

  void by_order(const Group& group) {
    std::vector<std::size_t> left_a;
    std::vector<std::size_t> left_b;
    for (const std::size_t i : group.a)
      if (!partner_[i]) left_a.push_back(i);
    for (const std::size_t i : group.b)
      if (!is_taken_[i]) left_b.push_back(i);
    // Where one side has more of them, nothing says which are meant.
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
  std::vector<std::optional<Partner>> partner_;
  std::vector<bool> is_taken_;
};

}  // namespace

std::vector<RenameSuggestion> suggest(std::span<const Lone> a, std::span<const Lone> b) {
  std::map<std::string, Group> groups;
  const auto key = [](const Tensor& tensor) {
    return (is_floating(tensor.dtype())                     ? "f"
            : to_string(tensor.dtype()).substr(0, 1) == "C" ? "c"
                                                            : "i") +
           to_string(tensor.shape());
  };
  for (std::size_t i = 0; i < a.size(); ++i) groups[key(a[i].tensor)].a.push_back(i);
  for (std::size_t i = 0; i < b.size(); ++i) groups[key(b[i].tensor)].b.push_back(i);
  Pairing pairing(a, b);
  for (const auto& [shape, group] : groups) {
    if (group.a.empty() || group.b.empty()) continue;
    pairing.by_numbers(group);
    pairing.by_order(group);
  }
  return pairing.result();
}

}  // namespace safestructures::inline v0::comparing
