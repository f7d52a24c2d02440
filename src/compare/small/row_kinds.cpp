#include "compare/small/row_kinds.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <safestructures/data/value.hpp>
#include "compare/kernels/word_kernels.hpp"
#include "compare/pairing/tree_nodes.hpp"
#include "compare/rows/record_error.hpp"
#include "compare/small/row_metrics.hpp"

namespace safestructures::inline v0::comparing {
namespace {

using recording::RecordTable;

/// Whether some other order of the dimensions gives the same shape.
bool may_be_permuted(const Shape& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i)
    for (std::size_t j = i + 1; j < shape.size(); ++j)
      if (shape[i] == shape[j] && shape[i] > 1) return true;
  return false;
}

/// Returns the value's tensor if it is contiguous and its dtype is a float; null otherwise.
const Tensor* floats_in(const Value& value) {
  if (value.kind() != Kind::tensor) return nullptr;
  const Tensor& tensor = value.tensor();
  return are_floats(tensor.dtype()) && tensor.is_contiguous() ? &tensor : nullptr;
}

}  // namespace

bool RowKinds::Type::is_of(const Value& value, bool is_row) const {
  const Tensor* const tensor = floats_in(value);
  if (tensor == nullptr || tensor->dtype() != dtype.stored) return false;
  const std::size_t skipped = is_row ? 1 : 0;
  return tensor->rank() == shape.size() + skipped &&
         std::ranges::equal(tensor->shape().span().subspan(skipped), shape.span()) &&
         recorded_dtype(value) == dtype.recorded;
}

const RowKinds::Type* RowKinds::type_of(const Value& value, bool is_row) {
  const Tensor* const tensor = floats_in(value);
  if (tensor == nullptr || (is_row && tensor->rank() == 0)) return nullptr;
  const std::uint64_t rows = is_row ? tensor->shape()[0] : 1;
  const std::uint64_t count = rows == 0 ? 0 : tensor->size() / rows;
  if (count == 0 || count > RowMetrics::most) return nullptr;
  const SideDType dtype{tensor->dtype(), recorded_dtype(value)};
  const auto grid = grid_of(dtype.effective());
  if (!grid || !are_floats(grid->dtype)) return nullptr;
  const auto dims = tensor->shape().span().subspan(is_row ? 1 : 0);
  const auto numbers = static_cast<std::size_t>(count);
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] =
      types_.try_emplace({dtype.stored, dtype.recorded, {dims.begin(), dims.end()}},
                         Type{.dtype = dtype,
                              .shape = Shape(dims),
                              .count = numbers,
                              .size = numbers * bit_width(tensor->dtype()) / 8});
  return &known->second;
}

RowKinds::Found RowKinds::make_kind(const Key& key) {
  const std::string& name = a_.names()[key.name_a];
  const std::string& other = b_.names()[key.name_b];
  if (!rules_.filter.is_wanted(name, other)) return {};
  const Type& a = *key.type_a;
  const Type& b = *key.type_b;
  const BothDTypes dtypes{a.dtype, b.dtype};
  const Grid grid_a = grid_of(dtypes.a.effective()).value();
  const Grid grid_b = grid_of(dtypes.b.effective()).value();
  const Grid grid = coarser(grid_a, grid_b);
  CompactKind kind{
      .path = name,
      .other_path = other == name ? std::string() : other,
      .detail = dtypes.difference_text(),
      .shape = a.shape,
      .count = a.count,
      .size_a = a.size,
      .size_b = b.size,
      .dtype_a = a.dtype.stored,
      .dtype_b = b.dtype.stored,
      .tolerance = rules_.tolerances.of(name, dtypes),
      .grid = grid,
      .finer_grid = grid.dtype == grid_a.dtype ? grid_b : grid_a,
      .has_words = has_words(a.dtype.stored, b.dtype.stored, grid.dtype),
      .has_given_tolerance = !rules_.noise.empty() && rules_.tolerances.are_given(name, dtypes),
      .least_error = least_error(grid),
      .may_be_permuted = rules_.options.suggest && may_be_permuted(a.shape)};
  kinds_.push_back(std::move(kind));
  return {static_cast<std::uint32_t>(kinds_.size() - 1), &kinds_.back()};
}

std::optional<RowKinds::Found> RowKinds::kind_of(const Key& key) {
  const Type& a = *key.type_a;
  const Type& b = *key.type_b;
  if (a.shape != b.shape || (rules_.options.exact_dtypes && a.dtype.stored != b.dtype.stored))
    return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = known_.try_emplace(key);
  if (is_new) found->second = make_kind(key);
  return found->second;
}

void RowKinds::Finder::look(const Record& record, Seen& seen, Seen& last) {
  if (seen.is_of(record)) return;
  // Layers of one shape are rows of one tensor.
  if (!last.is_of(record)) {
    last.rows = record.is_row() ? record.value : nullptr;
    last.type = seen.type != nullptr && seen.type->is_of(*record.value, record.is_row())
                    ? seen.type
                    : kinds_.type_of(*record.value, record.is_row());
  }
  seen = last;
}

std::optional<RowKinds::Found> RowKinds::Finder::find(const RecordPair& pair) {
  if (pair.is_lone()) return std::nullopt;
  const Record a = a_.stored_at(pair.a);
  const Record b = b_.stored_at(pair.b);
  // A slice compared with a whole tensor tells nothing about the rest.
  if (a.kept != b.kept) return std::nullopt;
  Known& known = known_[a.name];
  // The usual case: rows of the same tensors as last time.
  if (known.key.name_b == b.name && known.a.is_of(a) && known.b.is_of(b)) return known.found;
  return find(a, b, known);
}

std::optional<RowKinds::Found> RowKinds::Finder::find(const Record& a, const Record& b,
                                                      Known& known) {
  look(a, known.a, last_a_);
  look(b, known.b, last_b_);
  const Key key{a.name, b.name, known.a.type, known.b.type};
  if (known.key == key) return known.found;
  // `found` belongs to other tensors than those just seen.
  known.key = {};
  if (key.type_a == nullptr || key.type_b == nullptr) return std::nullopt;
  const std::optional<Found> found = kinds_.kind_of(key);
  if (!found) return std::nullopt;
  known.key = key;
  known.found = *found;
  return found;
}

}  // namespace safestructures::inline v0::comparing
