#include "compare/pairing/align.hpp"

#include <algorithm>
#include <utility>

namespace safestructures::inline v0::comparing {
namespace {

// Each pair of calls takes one byte.
constexpr std::size_t most_pairs = std::size_t{1} << 22U;

/// Returns the weight of a pair of calls. One more pair with the same shapes outweighs any number
/// of pairs with the same numbers.
std::uint64_t worth(const Call& a, const Call& b) {
  return (a.form == b.form ? std::uint64_t{1} << 32U : 0) + (a.number == b.number ? 1 : 0);
}

bool are_same(const Call& a, const Call& b) { return a.number == b.number && a.form == b.form; }

/// For each call of `a`, the index of its partner in `b`, ascending, or `Aligned::none`. Only pairs
/// with a non-zero weight are anchors.
using Anchors = std::vector<std::size_t>;

/// Sets the anchors for calls `first_a` on of `a`, with partners from `first_b` on of `b`.
void align_best(std::span<const Call> a, std::span<const Call> b, std::size_t first_a,
                std::size_t first_b, Anchors& anchors) {
  enum class Step : std::uint8_t { both, skip_a, skip_b };
  std::vector<Step> steps(a.size() * b.size());
  // The best total weight of what remains of both from an index on.
  std::vector<std::uint64_t> below(b.size() + 1);
  std::vector<std::uint64_t> here(b.size() + 1);
  for (std::size_t i = a.size(); i-- > 0;) {
    here[b.size()] = 0;
    for (std::size_t j = b.size(); j-- > 0;) {
      const std::uint64_t own = worth(a[i], b[j]);
      const std::uint64_t both = own == 0 ? 0 : own + below[j + 1];
      here[j] = std::max({both, below[j], here[j + 1]});
      steps[i * b.size() + j] = both != 0 && both == here[j] ? Step::both
                                : below[j] == here[j]        ? Step::skip_a
                                                             : Step::skip_b;
    }
    std::swap(below, here);
  }
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Step step = steps[i * b.size() + j];
    if (step == Step::both) anchors[first_a + i] = first_b + j;
    if (step != Step::skip_b) ++i;
    if (step != Step::skip_a) ++j;
  }
}

void align_by_numbers(std::span<const Call> a, std::span<const Call> b, Anchors& anchors) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].number == b[j].number) anchors[i++] = j++;
    else ++(a[i].number < b[j].number ? i : j);
  }
}

}  // namespace

std::vector<Aligned> align(std::span<const Call> a, std::span<const Call> b) {
  if (a.empty()) return {};
  Anchors anchors(a.size(), Aligned::none);
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t front = 0;
  while (front < shorter && are_same(a[front], b[front])) {
    anchors[front] = front;
    ++front;
  }
  std::size_t back = 0;
  while (back < shorter - front && are_same(a[a.size() - 1 - back], b[b.size() - 1 - back])) {
    ++back;
    anchors[a.size() - back] = b.size() - back;
  }
  const auto middle_a = a.subspan(front, a.size() - front - back);
  const auto middle_b = b.subspan(front, b.size() - front - back);
  if (middle_b.empty() || middle_a.size() <= most_pairs / middle_b.size())
    align_best(middle_a, middle_b, front, front, anchors);
  else align_by_numbers(a, b, anchors);

  // If all have the same shapes, shapes tell nothing.
  const auto is_other = [&](const Call& call) { return call.form != a.front().form; };
  const bool is_telling = std::ranges::any_of(a, is_other) || std::ranges::any_of(b, is_other);
  std::vector<Aligned> found(a.size());
  std::size_t next = 0;  // After the last call of b that is aligned.
  for (std::size_t i = 0; i < a.size();) {
    std::size_t end = i;
    while (end < a.size() && anchors[end] == Aligned::none) ++end;
    const std::size_t end_b = end < a.size() ? anchors[end] : b.size();
    // None of these have the same number: one more pair of anchors would be better.
    for (; i < end && next < end_b; ++i, ++next) found[i] = {next, RecordMatch::order};
    if (end == a.size()) break;
    // Anchors have the same number or the same shapes.
    found[end] = {end_b, a[end].number == b[end_b].number ? RecordMatch::call
                         : is_telling                     ? RecordMatch::shape
                                                          : RecordMatch::order};
    next = end_b + 1;
    i = end + 1;
  }
  return found;
}

}  // namespace safestructures::inline v0::comparing
