#include <safestructures/compare/comparison.hpp>

#include <cstddef>

#include "compare/rows/row_store.hpp"

namespace safestructures::inline v0 {

using comparing::RowStore;

bool Comparison::is_equal() const noexcept {
  return differences() == 0 &&
         coverage.tensors + coverage.statistics + coverage.values > coverage.nothing;
}

std::size_t Comparison::differences() const noexcept {
  const RowStore* const store = RowStore::of(rows);
  return store != nullptr ? store->differences() : 0;
}

const ComparisonRow* Comparison::first_divergence() const& {
  if (rows.empty()) return nullptr;
  const auto first = RowStore::of(rows)->first_divergence();
  return first ? &rows[*first] : nullptr;
}

}  // namespace safestructures::inline v0
