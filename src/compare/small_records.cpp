#include "compare/small_records.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include <safestructures/data/value.hpp>
#include "compare/nodes.hpp"
#include "compare/record_error.hpp"
#include "compare/row_bytes.hpp"
#include "compare/row_metrics.hpp"
#include "compare/tolerance.hpp"
#include "platform/memory.hpp"
#include "platform/parallel.hpp"

namespace safestructures::inline v0::comparing {
namespace {

using recording::RecordTable;

// Both sides of a piece stay in a second-level cache.
constexpr std::uint64_t piece_bytes = std::uint64_t{128} << 10U;
constexpr std::size_t most_in_piece = 2048;
// What a thread takes at least, in bytes of both sides: starting it takes as long as 300 rows.
constexpr std::size_t thread_share = std::size_t{1} << 19U;

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

RowPlace row_place(const RecordTable::Place& place, std::size_t size) {
  const recording::Segment& segment = *place.part->segment;
  return {&segment.stored(place.record).tensor(),
          static_cast<std::uint64_t>(segment.columns().row[place.record]), size};
}

}  // namespace

struct SmallRecords::Worker {
  RowBytes bytes_a;
  RowBytes bytes_b;
  std::vector<RowPlace> places_a;
  std::vector<RowPlace> places_b;
  std::unique_ptr<RowMetrics> metrics = std::make_unique_for_overwrite<RowMetrics>();
  std::vector<std::size_t> unusual;  // Compact rows.
  std::uint64_t tensors = 0;
  std::uint64_t elements = 0;
};

std::uint32_t SmallRecords::Side::type_of(const RecordTable::Place& place) {
  const recording::ReadColumns& columns = place.part->segment->columns();
  if (columns.row[place.record] == recording::no_row) return none;
  if (place.part != part) {
    part = place.part;
    types_of_part = types[static_cast<std::size_t>(part - table.parts().data())].data();
  }
  return types_of_part[columns.value[place.record]];
}

SmallRecords::SmallRecords(const RecordTable& a, const RecordTable& b,
                           const CompareOptions& options, Comparer& comparer)
    : options_(options), comparer_(comparer), a_(a), b_(b), known_(a.names().size()) {
  // What the noise allows is looked up tensor by tensor.
  if (comparer.result().has_noise) return;
  find_types(a_);
  find_types(b_);
  CompactRows& compact = comparer.rows().compact();
  for (const RecordTable::Part& part : a.parts())
    compact.records.push_back({part.begin, part.skipped, part.segment->columns()});
  platform::reserve_huge(compact.rows, std::min(a.size(), b.size()));
}

void SmallRecords::find_types(Side& side) {
  for (const RecordTable::Part& part : side.table.parts()) {
    std::vector<std::uint32_t>& types = side.types.emplace_back();
    for (const Value& value : part.segment->values()) types.push_back(type_of(value));
  }
}

std::uint32_t SmallRecords::type_of(const Value& rows) {
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

std::uint32_t SmallRecords::make_kind(const std::string& name, const std::string& other,
                                      const Type& a, const Type& b) {
  if (!comparer_.is_wanted(name) && !comparer_.is_wanted(other)) return none;
  const RecordedDTypes recorded{a.recorded, b.recorded};
  const Grid grid_a = grid_of(effective_dtype(a.dtype, a.recorded)).value();
  const Grid grid_b = grid_of(effective_dtype(b.dtype, b.recorded)).value();
  CompactKind kind{.path = name,
                   .other_path = other == name ? std::string() : other,
                   .detail = {},
                   .shape = a.shape,
                   .count = a.count,
                   .dtype_a = a.dtype,
                   .dtype_b = b.dtype,
                   .tolerance = comparer_.tolerance_of(name, a.dtype, b.dtype, recorded)
                                    .value_or(usual_tolerance(a.dtype, b.dtype, recorded)),
                   .grid = coarser(grid_a, grid_b),
                   .least_error = least_error(coarser(grid_a, grid_b)),
                   .may_be_permuted = options_.suggest && may_be_permuted(a.shape)};
  if (a.dtype != b.dtype || a.recorded != b.recorded)
    kind.detail = dtype_text(a.dtype, a.recorded) + " and " + dtype_text(b.dtype, b.recorded);
  std::vector<CompactKind>& kinds = comparer_.rows().compact().kinds;
  kinds.push_back(std::move(kind));
  return static_cast<std::uint32_t>(kinds.size() - 1);
}

bool SmallRecords::add(const RecordPair& pair) {
  if (pair.is_lone() || a_.types.empty() || b_.types.empty()) return false;
  const RecordTable::Place a = a_.cursor.at(pair.a);
  const RecordTable::Place b = b_.cursor.at(pair.b);
  const std::uint32_t type_a = a_.type_of(a);
  const std::uint32_t type_b = b_.type_of(b);
  if (type_a == none || type_b == none) return false;
  Known& known = known_[a.name()];
  const Key key{a.name(), b.name(), type_a, type_b};
  if (known.key != key) {
    const Type& one = types_[type_a];
    const Type& other = types_[type_b];
    if (one.shape != other.shape || (options_.exact_dtypes && one.dtype != other.dtype))
      return false;
    const auto [found, is_new] = kinds_.try_emplace(key, none);
    if (is_new)
      found->second = make_kind(a_.table.names()[a.name()], b_.table.names()[b.name()], one, other);
    known = {key, found->second};
  }
  if (a.part->segment->columns().kept[a.record] != b.part->segment->columns().kept[b.record])
    return false;
  if (known.kind == none) {
    ++comparer_.result().coverage.filtered;
    return true;
  }
  comparer_.rows().add_compact({.record = pair.a, .kind = known.kind});
  bytes_ += types_[type_a].size + types_[type_b].size;
  return true;
}

void SmallRecords::measure(std::span<const RecordPair> pairs) {
  CompactRows& compact = comparer_.rows().compact();
  const std::size_t rows = compact.rows.size();
  if (rows == 0) return;
  compact.memory = platform::allocate_buffer(rows * sizeof(CompactMetrics));
  compact.metrics = reinterpret_cast<CompactMetrics*>(compact.memory.get());
  comparer_.expect(bytes_);
  const std::size_t piece = std::clamp<std::size_t>(
      static_cast<std::size_t>(piece_bytes * rows / bytes_), 1, most_in_piece);
  const unsigned threads = platform::threads_for(static_cast<std::size_t>(bytes_), thread_share);
  std::vector<Worker> workers(threads);
  std::atomic<std::uint64_t> done = 0;
  platform::in_pieces(
      rows, piece,
      [&](std::size_t begin, std::size_t count, unsigned worker) {
        done += measure(pairs, begin, count, workers[worker]);
        if (worker == 0 && options_.progress) comparer_.report(done.exchange(0));
      },
      threads);
  if (options_.progress && done != 0) comparer_.report(done);
  Coverage& coverage = comparer_.result().coverage;
  std::vector<std::size_t> unusual;
  for (const Worker& worker : workers) {
    coverage.tensors += worker.tensors;
    coverage.elements += worker.elements;
    coverage.compared_elements += worker.elements;
    unusual.insert(unusual.end(), worker.unusual.begin(), worker.unusual.end());
  }
  std::ranges::sort(unusual);
  for (const std::size_t row : unusual)
    comparer_.hold_compact(comparer_.rows().place_of_compact(row));
}

std::uint64_t SmallRecords::measure(std::span<const RecordPair> pairs, std::size_t begin,
                                    std::size_t count, Worker& worker) {
  CompactRows& compact = comparer_.rows().compact();
  recording::RecordCursor a(a_.table);
  recording::RecordCursor b(b_.table);
  worker.places_a.clear();
  worker.places_b.clear();
  for (std::size_t i = begin; i < begin + count; ++i) {
    const RecordPair& pair = pairs[static_cast<std::size_t>(compact.rows[i].record)];
    const CompactKind& kind = compact.kinds[compact.rows[i].kind];
    const auto place = [&](const RecordTable::Place& record, DType dtype) {
      return row_place(record, kind.count * bit_width(dtype) / 8);
    };
    worker.places_a.push_back(place(a.at(pair.a), kind.dtype_a));
    worker.places_b.push_back(place(b.at(pair.b), kind.dtype_b));
  }
  worker.bytes_a.read(worker.places_a);
  worker.bytes_b.read(worker.places_b);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    CompactRow& row = compact.rows[begin + i];
    const CompactKind& kind = compact.kinds[row.kind];
    if (!worker.metrics->measure(worker.bytes_a[i], worker.bytes_b[i], kind, row,
                                 compact.metrics[begin + i])) {
      // It has no metrics until it is compared as a whole.
      row.is_exact = true;
      worker.unusual.push_back(begin + i);
      continue;
    }
    ++worker.tensors;
    worker.elements += kind.count;
    bytes += worker.places_a[i].size + worker.places_b[i].size;
  }
  return bytes;
}

}  // namespace safestructures::inline v0::comparing
