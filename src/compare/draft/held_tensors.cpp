#include "compare/draft/held_tensors.hpp"

#include <algorithm>

#include "compare/pairing/tree_nodes.hpp"
#include "data/complex_pairs.hpp"

namespace safestructures::inline v0::comparing {

void HeldTensors::hold_compact(std::size_t row) {
  rows_.whole(row);  // Must be done before several threads use it.
  hold(row, compact_tensors(row));
}

const Tensor& HeldTensors::pairs_of(const Tensor& complex) {
  return made_.emplace_back(detail::as_pairs(complex));
}

const Tensor& HeldTensors::tensor_of(const Value& number) {
  return made_.emplace_back(numbers_of(number));
}

std::span<const HeldTensors::Held> HeldTensors::sorted() {
  // Compact rows were added after the others.
  std::ranges::sort(held_, {}, &Held::row);
  return held_;
}

std::optional<TensorPair> HeldTensors::find(std::size_t row) const {
  const auto found = std::ranges::lower_bound(held_, row, {}, &Held::row);
  if (found != held_.end() && found->row == row) return found->tensors;
  if (rows_.is_compact(row)) return compact_tensors(row);
  return std::nullopt;
}

bool HeldTensors::can_find(std::size_t row) const {
  return rows_.is_compact(row) || std::ranges::binary_search(held_, row, {}, &Held::row);
}

TensorPair HeldTensors::compact_tensors(std::size_t row) const {
  const CompactRow& compact = rows_.compact().rows[rows_.compact_place(row)];
  const auto [a, b] = compact_values_(compact.record);
  return {&a->tensor(), &b->tensor(), {recorded_dtype(*a), recorded_dtype(*b)}};
}

}  // namespace safestructures::inline v0::comparing
