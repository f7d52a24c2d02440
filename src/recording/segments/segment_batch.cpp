#include "recording/segments/segment_batch.hpp"

#include <utility>

#include "data/keyed_hash.hpp"
#include "platform/xxh3.hpp"

namespace safestructures::inline v0::recording {
namespace {

bool is_of(const RowKind& kind, const PreparedRow& row) noexcept {
  return kind.own_dtype == row.own_dtype && kind.dtype == row.tensor->dtype() &&
         kind.shape == row.tensor->shape();
}

}  // namespace

std::size_t SegmentBatch::KindHash::operator()(const RowKind& kind) const noexcept {
  const auto dtypes =
      static_cast<std::uint64_t>(kind.dtype) << 8U | static_cast<std::uint64_t>(kind.own_dtype);
  const std::span<const std::uint64_t> sizes = kind.shape.span();
  return static_cast<std::size_t>(detail::keyed_hash(sizes.data(), sizes.size_bytes(), dtypes));
}

std::size_t SegmentBatch::run_of(const PreparedRow& row) const {
  // Usually the same kind as the previous one.
  if (last_run_ != none && is_of(runs_[last_run_].kind, row)) return last_run_;
  const auto found = run_of_kind_.find({row.tensor->dtype(), row.own_dtype, row.tensor->shape()});
  return found == run_of_kind_.end() ? none : found->second;
}

bool SegmentBatch::has_kind_of(const PreparedRow& row) const { return run_of(row) != none; }

void SegmentBatch::add(PreparedRecord record, std::uint32_t name) {
  bytes_ += record.frame.end - record.frame.begin;
  entries_.push_back({static_cast<std::uint32_t>(runs_.size()), 0, name});
  runs_.emplace_back().record = records_.size();
  records_.push_back(std::move(record));
}

void SegmentBatch::add(const PreparedRow& row, std::uint32_t name) {
  std::size_t place = run_of(row);
  if (place == none) {
    place = runs_.size();
    Run& run = runs_.emplace_back();
    run.kind = {row.tensor->dtype(), row.own_dtype, row.tensor->shape()};
    run.row_bytes = row.tensor->byte_size();
    run_of_kind_.emplace(run.kind, place);
  }
  last_run_ = place;
  std::vector<Row>& rows = runs_[place].rows;
  entries_.push_back(
      {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(rows.size()), name});
  rows.push_back({.head = row.head, .bytes = row.tensor->bytes().data()});
  bytes_ += runs_[place].row_bytes;
}

std::uint64_t SegmentBatch::place(std::uint64_t end) {
  const auto align = [&](DType dtype) {
    const std::uint64_t unit = alignment(dtype);
    end = (end + unit - 1) / unit * unit;
  };
  for (Run& run : runs_) {
    if (!run.rows.empty()) {
      align(run.kind.dtype);
      run.begin = end;
      end += run.rows.size() * run.row_bytes;
      continue;
    }
    Frame& frame = records_[run.record].frame;
    if (frame.end != 0) align(frame.tensors.front().dtype);
    for (StoredTensor& tensor : frame.tensors) {
      tensor.begin += end;
      tensor.end += end;
    }
    run.begin = frame.begin = end;
    end = frame.end += end;
  }
  return end;
}

void SegmentBatch::hash(bool rows) {
  for (PreparedRecord& record : records_)
    for (std::size_t i = 0; i < record.tensors.size(); ++i)
      record.frame.tensors[i].hash = hash_of(record.tensors[i].bytes());
  for (Run& run : runs_) {
    if (run.rows.empty()) continue;
    const bool is_lone = run.rows.size() == 1;
    if (rows || is_lone)
      for (Row& row : run.rows) row.hash = hash_of(run.bytes_of(row));
    run.hash = run.rows.front().hash;
    if (is_lone) continue;
    platform::Xxh3 hash;
    for (const Row& row : run.rows) hash.add(run.bytes_of(row));
    run.hash = hash.value();
  }
}

void SegmentBatch::append_frame(std::vector<std::byte>& bytes, std::size_t record) const {
  const Entry entry = entries_[record];
  const Run& run = runs_[entry.run];
  if (run.rows.empty()) return recording::append_frame(bytes, records_[run.record].frame);
  const Row& row = run.rows[entry.row];
  const std::uint64_t begin = run.begin + entry.row * run.row_bytes;
  const RowKind& kind = run.kind;
  recording::append_frame(
      bytes, *row.head,
      {kind.dtype, kind.own_dtype, kind.shape, begin, begin + run.row_bytes, row.hash});
}

void SegmentBatch::add_to(SegmentHeader& header, bool checksums) {
  const SegmentHeader::Mark before = header.mark();
  try {
    header.expect_records(entries_.size());
    std::vector<std::uint32_t> values;
    values.reserve(runs_.size());
    for (const Run& run : runs_) {
      if (const std::uint64_t gap = run.begin - header.end(); gap != 0)
        header.add_gap(run.begin, checksums ? hash_of_zeros(gap) : 0);
      values.push_back(add_to(header, run));
    }
    for (const Entry entry : entries_) {
      const Run& run = runs_[entry.run];
      const RecordHead& head =
          run.rows.empty() ? records_[run.record].frame.head : *run.rows[entry.row].head;
      const auto row = static_cast<std::int32_t>(entry.row);
      header.add_record(head, {values[entry.run], run.rows.size() < 2 ? no_row : row}, entry.name);
    }
  } catch (...) {
    header.back_to(before);
    throw;
  }
}

std::uint32_t SegmentBatch::add_to(SegmentHeader& header, const Run& run) {
  if (run.rows.empty()) return header.add_value(records_[run.record].frame);
  return header.add_rows(*run.rows.front().head,
                         {run.kind, run.begin, run.row_bytes, run.rows.size(), run.hash});
}

void SegmentBatch::clear() noexcept {
  records_.clear();
  runs_.clear();
  entries_.clear();
  run_of_kind_.clear();
  last_run_ = none;
  bytes_ = 0;
}

}  // namespace safestructures::inline v0::recording
