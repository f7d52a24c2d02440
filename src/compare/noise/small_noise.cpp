#include "compare/noise/small_noise.hpp"

#include <algorithm>
#include <span>

#include <safestructures/compare/metrics.hpp>
#include <safestructures/data/tensor.hpp>
#include "compare/kernels/float_kernels.hpp"
#include "compare/metrics/noise_floor.hpp"
#include "compare/pairing/nodes.hpp"

namespace safestructures::inline v0::comparing {
namespace {

using recording::RecordTable;
using recording::StoredRecord;

/// Whether a record is a tensor of that shape, or a row with it.
bool has_shape(const StoredRecord& record, const Shape& shape) {
  if (record.value->kind() != Kind::tensor) return numbers_of(*record.value).shape() == shape;
  const std::span<const std::uint64_t> dims = record.value->tensor().shape().span();
  return std::ranges::equal(dims.subspan(record.is_row() ? 1 : 0), shape.span());
}

bool has_whole_bytes(const Value& value) {
  return value.kind() == Kind::tensor && value.tensor().is_contiguous() &&
         bit_width(value.tensor().dtype()) % 8 == 0;
}

/// Handles any dtypes. `diff` of 10,000 records of 64 floats takes 28 ms with a run in F64, and 12
/// ms with one in F32.
Distance distance_of_any(const RowMetrics::Numbers& side, const RowMetrics::Numbers& other,
                         const Shape& shape) {
  return distance_in(compare_tensors(Tensor::borrow(side.dtype, shape, side.bytes),
                                     Tensor::borrow(other.dtype, shape, other.bytes)));
}

}  // namespace

SmallNoise::SmallNoise(const Noise& noise, const RecordTable& a, const CompactRows& rows)
    : noise_(noise), records_(a), rows_(rows) {
  for (const Noise::Run& run : noise.runs())
    if (run.records != nullptr)
      runs_.push_back({.noise = &run,
                       .records = recording::RecordCursor(run.records->table()),
                       .names = {},
                       .found = {},
                       .bytes = {}});
}

void SmallNoise::clear() {
  for (Run& run : runs_) {
    run.found.clear();
    run.read = 0;
    run.bytes.clear();
  }
}

void SmallNoise::add(const CompactRow& row, const CompactKind& kind) {
  const RecordTable::Place at = records_.at(row.record);
  const recording::ReadColumns& columns = at.part->segment->columns();
  const std::int64_t step = columns.step[at.record];
  const std::uint64_t call = columns.call[at.record];
  std::uint64_t other_call = call;
  if (row.match != RecordMatch::call) other_call = rows_.other_call_of(row.record).value_or(call);
  for (Run& run : runs_) run.found.push_back(find(run, step, {call, other_call}, row, kind));
}

SmallNoise::Found SmallNoise::find(Run& run, std::int64_t step, const Calls& calls,
                                   const CompactRow& row, const CompactKind& kind) {
  const NoiseRecords& records = *run.noise->records;
  if (run.names.size() <= row.kind) run.names.resize(row.kind + std::size_t{1});
  Names& names = run.names[row.kind];
  if (!names.are_known) {
    names = {.are_known = true,
             .name = records.table().place_of(kind.path),
             .other_name =
                 records.table().place_of(kind.other_path.empty() ? kind.path : kind.other_path)};
  }
  const auto find = [&](const std::optional<std::uint32_t>& name, std::uint64_t call) {
    return name ? records.find({*name, step, call}, row.record) : std::nullopt;
  };
  std::optional<std::size_t> place = find(names.name, calls.of_a);
  if (names.other_name != names.name || calls.of_b != calls.of_a) {
    const std::optional<std::size_t> other = find(names.other_name, calls.of_b);
    // The nearer one counts.
    if (place && other) return {.is_odd = true};
    if (!place) place = other;
  }
  // A part of another record may have the name.
  if (!place) return {.is_odd = !run.noise->nodes.empty()};
  const StoredRecord record = run.records.stored_at(*place);
  if (!is_number(*record.value)) return {.is_odd = !run.noise->nodes.empty()};
  if (!has_shape(record, kind.shape)) return {};
  if (!has_whole_bytes(*record.value)) return {.is_odd = true};
  const Tensor& tensor = record.value->tensor();
  run.bytes.add(tensor, record.is_row() ? static_cast<std::uint64_t>(record.row) : 0,
                kind.count * (bit_width(tensor.dtype()) / 8));
  return {.value = record.value, .place = run.read++};
}

void SmallNoise::read() {
  for (Run& run : runs_) run.bytes.read();
}

bool SmallNoise::judge(std::size_t i, const Sides& sides, const CompactKind& kind,
                       RowMetrics& metrics, CompactRow& row, CompactNoise& noise) const {
  const RowMetrics::Numbers a{{sides.a, kind.size_a}, kind.dtype_a};
  const RowMetrics::Numbers b{{sides.b, kind.size_b}, kind.dtype_b};
  NoiseOfTensor all(kind.grid, kind.finer_grid);
  for (const Run& run : runs_) {
    const Found& found = run.found[i];
    if (found.is_odd) return false;
    if (found.value == nullptr) continue;
    const DType dtype = found.value->tensor().dtype();
    const RowMetrics::Numbers other{{run.bytes[found.place], kind.count * (bit_width(dtype) / 8)},
                                    dtype};
    const auto distance = [&](const RowMetrics::Numbers& side) -> std::optional<Distance> {
      if (!are_floats(dtype)) return distance_of_any(side, other, kind.shape);
      return metrics.distance(side, other, kind.count);
    };
    const std::optional<Distance> to_a = distance(a);
    const std::optional<Distance> to_b = sides.metrics == nullptr ? to_a : distance(b);
    if (!to_a || !to_b) return false;
    all.add({*to_a, *to_b, grid_of(effective_dtype(dtype, recorded_dtype(*found.value)))});
  }
  const TensorMetrics between = CompactRows::metrics_of(kind, row, sides.metrics);
  const std::optional<NoiseFloor> floor = all.floor(between, noise_.factor());
  noise = floor ? compact(*floor) : CompactNoise{};
  if (!floor) return true;
  switch (verdict_of(*floor, between.is_within(), kind.has_given_tolerance)) {
    case NoiseVerdict::as_without: break;
    case NoiseVerdict::excused: row.verdict = Verdict::close; break;
    case NoiseVerdict::beyond: row.verdict = Verdict::different; break;
  }
  // If so, it may be a tensor with permuted dimensions.
  return row.verdict != Verdict::different || !kind.may_be_permuted;
}

}  // namespace safestructures::inline v0::comparing
