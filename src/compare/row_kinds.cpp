#include "compare/row_kinds.hpp"

#include <utility>

#include <safestructures/data/value.hpp>
#include "compare/nodes.hpp"
#include "compare/record_error.hpp"
#include "compare/row_metrics.hpp"
#include "compare/tolerance.hpp"

namespace safestructures::inline v0::comparing {
namespace {

using recording::RecordTable;

bool are_floats(DType dtype) {
  return dtype == DType::F32 || dtype == DType::BF16 || dtype == DType::F16;
}

/// Whether another order of its dimensions gives the same shape.
bool may_be_permuted(const Shape& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i)
    for (std::size_t j = i + 1; j < shape.size(); ++j)
      if (shape[i] == shape[j] && shape[i] > 1) return true;
  return false;
}

}  // namespace

RowKinds::RowKinds(const RecordTable& a, const RecordTable& b, const CompareOptions& options,
                   Comparer& comparer)
    : options_(options), comparer_(comparer), a_{a, {}}, b_{b, {}} {
  find_types(a_);
  find_types(b_);
}

void RowKinds::find_types(Side& side) {
  for (const RecordTable::Part& part : side.table.parts()) {
    std::vector<std::uint32_t>& types = side.types.emplace_back();
    for (const Value& value : part.segment->values()) types.push_back(type_of(value));
  }
}

std::uint32_t RowKinds::type_of(const Value& rows) {
  if (rows.kind() != Kind::tensor) return none;
  const Tensor& tensor = rows.tensor();
  if (!are_floats(tensor.dtype()) || tensor.rank() == 0 || !tensor.is_contiguous()) return none;
  Type type{.dtype = tensor.dtype(),
            .recorded = recorded_dtype(rows),
            .shape = Shape(tensor.shape().span().subspan(1)),
            .count = 0,
            .size = 0};
  const std::uint64_t count = tensor.shape()[0] == 0 ? 0 : tensor.size() / tensor.shape()[0];
  if (count == 0 || count > RowMetrics::most) return none;
  const auto grid = grid_of(effective_dtype(type.dtype, type.recorded));
  if (!grid || !are_floats(grid->dtype)) return none;
  type.count = static_cast<std::size_t>(count);
  type.size = type.count * bit_width(type.dtype) / 8;
  const auto dims = type.shape.span();
  const auto [known, is_new] =
      known_types_.try_emplace({type.dtype, type.recorded, {dims.begin(), dims.end()}},
                               static_cast<std::uint32_t>(types_.size()));
  if (is_new) types_.push_back(std::move(type));
  return known->second;
}

std::uint32_t RowKinds::make_kind(const std::string& name, const std::string& other, const Type& a,
                                  const Type& b) {
  if (!comparer_.is_wanted(name) && !comparer_.is_wanted(other)) return none;
  const RecordedDTypes recorded{a.recorded, b.recorded};
  const Grid grid = coarser(grid_of(effective_dtype(a.dtype, a.recorded)).value(),
                            grid_of(effective_dtype(b.dtype, b.recorded)).value());
  CompactKind kind{.path = name,
                   .other_path = other == name ? std::string() : other,
                   .detail = {},
                   .shape = a.shape,
                   .count = a.count,
                   .dtype_a = a.dtype,
                   .dtype_b = b.dtype,
                   .tolerance = comparer_.tolerance_of(name, a.dtype, b.dtype, recorded)
                                    .value_or(usual_tolerance(a.dtype, b.dtype, recorded)),
                   .grid = grid,
                   .least_error = least_error(grid),
                   .may_be_permuted = options_.suggest && may_be_permuted(a.shape)};
  if (a.dtype != b.dtype || a.recorded != b.recorded)
    kind.detail = dtype_text(a.dtype, a.recorded) + " and " + dtype_text(b.dtype, b.recorded);
  std::vector<CompactKind>& kinds = comparer_.rows().compact().kinds;
  kinds.push_back(std::move(kind));
  return static_cast<std::uint32_t>(kinds.size() - 1);
}

std::optional<RowKinds::Found> RowKinds::kind_of(const Key& key) {
  const Type& a = types_[key[2]];
  const Type& b = types_[key[3]];
  if (a.shape != b.shape || (options_.exact_dtypes && a.dtype != b.dtype)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto [kind, is_new] = kinds_.try_emplace(key, none);
  if (is_new) kind->second = make_kind(a_.table.names()[key[0]], b_.table.names()[key[1]], a, b);
  return Found{kind->second, a.size + b.size};
}

std::uint32_t RowKinds::Finder::Looker::type_of(const RecordTable::Place& place) {
  const recording::ReadColumns& columns = place.part->segment->columns();
  if (columns.row[place.record] == recording::no_row) return none;
  if (place.part != part) {
    part = place.part;
    types = side.types[static_cast<std::size_t>(part - side.table.parts().data())].data();
  }
  return types[columns.value[place.record]];
}

std::optional<RowKinds::Found> RowKinds::Finder::find(const RecordPair& pair) {
  if (pair.is_lone()) return std::nullopt;
  const RecordTable::Place a = a_.cursor.at(pair.a);
  const RecordTable::Place b = b_.cursor.at(pair.b);
  const std::uint32_t type_a = a_.type_of(a);
  const std::uint32_t type_b = b_.type_of(b);
  if (type_a == none || type_b == none) return std::nullopt;
  // A slice beside a tensor says nothing of the rest.
  if (a.part->segment->columns().kept[a.record] != b.part->segment->columns().kept[b.record])
    return std::nullopt;
  Known& known = known_[a.name()];
  const Key key{a.name(), b.name(), type_a, type_b};
  if (known.key != key) {
    const std::optional<Found> found = kinds_.kind_of(key);
    if (!found) return std::nullopt;
    known = {key, *found};
  }
  return known.found;
}

}  // namespace safestructures::inline v0::comparing
