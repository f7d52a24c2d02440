#include "recording/segment_writer.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <span>
#include <system_error>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/keyed_hash.hpp"
#include "platform/parallel.hpp"
#include "platform/xxh3.hpp"
#include "recording/files.hpp"

namespace safestructures::inline v0::recording {
namespace {

// What a call writes, about. Small pieces are copied together for it.
constexpr std::size_t write_size = std::size_t{1} << 20U;
constexpr std::size_t staged_below = std::size_t{16} << 10U;
// From here on the disk space of a batch is reserved, which makes writing 1.5 times as fast.
constexpr std::uint64_t reserved_from = std::uint64_t{1} << 20U;
// From twice this on a batch is hashed while it is written: that takes a third as long (12 GB/s
// beside 4 into the page cache), and a thread starts in 60 us.
constexpr std::size_t hash_share = std::size_t{1} << 20U;
constexpr std::uint32_t permissions = 0666;
// Readers take a journal of at most Limits::header_bytes, 100 MB.
constexpr std::uint64_t largest_journal = std::uint64_t{64} << 20U;
// What a frame takes beside its name, and what the header says of it too.
constexpr std::uint64_t frame_bound = 160;
// Between tensors, for alignment.
constexpr std::array<std::byte, 8> zeros{};

platform::os::File create(const std::filesystem::path& path) {
  std::error_code error;
  platform::os::File file = platform::os::create_new(path, permissions, error);
  check_written(error, "cannot create the file", path);
  return file;
}

}  // namespace

SegmentWriter::SegmentWriter(const std::filesystem::path& folder, std::uint64_t number,
                             std::uint64_t room, const SegmentOptions& options)
    : folder_(folder),
      number_(number),
      room_(room),
      options_(options),
      part_path_(part_file(folder, number)),
      journal_path_(journal_file(folder, number)) {
  // The journal first: data without one could not be told apart.
  journal_ = create(journal_path_);
  std::vector<std::byte> head;
  append_head(head, {.segment = number_, .room = room_, .checksums = options_.checksums});
  write_at(journal_, journal_path_, 0, head);
  journal_end_ = head.size();
  part_ = create(part_path_);
  // So that a disk that fills up later has room for the header.
  std::error_code error;
  platform::os::reserve(part_, room_, error);
  check_written(error, "cannot reserve room for the header", part_path_);
}

std::size_t SegmentWriter::RowKindHash::operator()(const RowKind& kind) const noexcept {
  const auto dtypes =
      static_cast<std::uint64_t>(kind.dtype) << 8U | static_cast<std::uint64_t>(kind.own_dtype);
  const std::span<const std::uint64_t> sizes = kind.shape.span();
  return static_cast<std::size_t>(detail::keyed_hash(sizes.data(), sizes.size_bytes(), dtypes));
}

SegmentWriter::Run* SegmentWriter::run_of(const Frame& frame) {
  if (!may_be_row(frame)) return nullptr;
  // Mostly of the kind of the one before.
  if (!runs_.empty()) {
    const Frame& last = batch_[runs_.back().records.front()].frame;
    if (may_be_row(last) && are_alike(frame, last)) return &runs_.back();
  }
  const StoredTensor& tensor = frame.tensors.front();
  const auto found = run_of_kind_.find({tensor.dtype, frame.own_dtype, tensor.shape});
  return found == run_of_kind_.end() ? nullptr : &runs_[found->second];
}

bool SegmentWriter::add(PreparedRecord& record) {
  const Frame& frame = record.frame;
  const std::string_view name = frame.head.name;
  Run* run = run_of(frame);
  const std::uint64_t cost_of_name = SegmentHeader::cost_of_name(name);
  const std::uint64_t cost =
      (run == nullptr ? record.cost : SegmentHeader::cost_of_row(frame)) - cost_of_name;
  const std::uint64_t whole = cost + (header_.has_name(name) ? 0 : cost_of_name);
  const std::uint64_t in_journal = frame_bound + name.size() + (run == nullptr ? record.cost : 0);
  const bool is_first = header_.records() == 0 && batch_.empty();
  if (!is_first && (header_.bound() + batch_cost_ + whole > room_ ||
                    journal_cost_ + in_journal > largest_journal))
    return false;
  header_.add_name(name);
  batch_cost_ += cost;
  journal_cost_ += in_journal;
  batch_bytes_ += frame.end - frame.begin;
  if (run == nullptr) {
    if (may_be_row(frame)) {
      const StoredTensor& tensor = frame.tensors.front();
      run_of_kind_.try_emplace({tensor.dtype, frame.own_dtype, tensor.shape}, runs_.size());
    }
    run = &runs_.emplace_back();
  }
  run->records.push_back(static_cast<std::uint32_t>(batch_.size()));
  batch_.push_back(std::move(record));
  return true;
}

void SegmentWriter::place() {
  for (Run& run : runs_) {
    const Frame& first = batch_[run.records.front()].frame;
    const std::uint64_t unit = first.end == 0 ? 1 : alignment(first.tensors.front().dtype);
    batch_end_ = run.begin = (batch_end_ + unit - 1) / unit * unit;
    for (const std::uint32_t record : run.records) {
      Frame& frame = batch_[record].frame;
      for (StoredTensor& tensor : frame.tensors) {
        tensor.begin += batch_end_;
        tensor.end += batch_end_;
      }
      frame.begin = batch_end_;
      batch_end_ = frame.end += frame.begin;
    }
  }
}

void SegmentWriter::write_batch() {
  if (batch_.empty()) return;
  place();
  const std::uint64_t bytes = batch_end_ - data_end_;
  if (bytes >= reserved_from) platform::os::reserve_behind(part_, room_ + data_end_, bytes);
  const auto work = [&](std::size_t part, std::size_t, unsigned) {
    part == 0 ? write_data() : make_frames();
  };
  platform::in_pieces(2, 1, work, platform::threads_for(bytes, hash_share));
  std::error_code error;
  if (options_.durability == Durability::batch) platform::os::synchronise(part_, error);
  check_written(error, "cannot synchronise the file with the disk", part_path_);
  write_at(journal_, journal_path_, journal_end_, frames_);
  journal_end_ += frames_.size();
  if (options_.durability == Durability::batch) platform::os::synchronise(journal_, error);
  check_written(error, "cannot synchronise the file with the disk", journal_path_);
  add_to_header();
  batch_.clear();
  runs_.clear();
  run_of_kind_.clear();
  batch_bytes_ = 0;
  batch_cost_ = 0;
}

void SegmentWriter::write_data() {
  for (const Run& run : runs_) {
    const std::uint64_t gap = run.begin - data_end_ - queued_;
    queue(std::span(zeros).first(static_cast<std::size_t>(gap)));
    for (const std::uint32_t record : run.records)
      for (const Tensor& tensor : batch_[record].tensors) queue(tensor.bytes());
  }
  write_queue();
}

void SegmentWriter::make_frames() {
  if (options_.checksums) {
    for (PreparedRecord& record : batch_)
      for (std::size_t i = 0; i < record.tensors.size(); ++i)
        record.frame.tensors[i].hash = hash_of(record.tensors[i].bytes());
    for (Run& run : runs_) {
      if (run.records.size() == 1) continue;
      platform::Xxh3 hash;
      for (const std::uint32_t record : run.records)
        hash.add(batch_[record].tensors.front().bytes());
      run.hash = hash.value();
    }
  }
  frames_.clear();
  for (const PreparedRecord& record : batch_) append_frame(frames_, record.frame);
}

void SegmentWriter::add_to_header() {
  std::vector<Frame*> frames;
  frames.reserve(batch_.size());
  for (PreparedRecord& record : batch_) frames.push_back(&record.frame);
  auto run = runs_.begin();
  header_.add(frames, [&](std::uint64_t begin, std::uint64_t end) {
    while (run != runs_.end() && (run->records.size() == 1 || run->begin < begin)) ++run;
    const bool is_run = run != runs_.end() && run->begin == begin;
    return is_run ? run->hash
                  : hash_of(std::span(zeros).first(static_cast<std::size_t>(end - begin)));
  });
}

void SegmentWriter::queue(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const bool is_staged = bytes.size() < staged_below;
  queued_ += bytes.size();
  if (is_staged) {
    // Never more, so that it stays where it is: the queue points to it.
    staged_.reserve(write_size + staged_below);
    const std::size_t place = staged_.size();
    staged_.insert(staged_.end(), bytes.begin(), bytes.end());
    bytes = std::span(staged_).subspan(place);
    // One block with the piece before it.
    if (place != 0 && queue_.back().data() + queue_.back().size() == bytes.data()) {
      queue_.back() = {queue_.back().data(), queue_.back().size() + bytes.size()};
      bytes = {};
    }
  }
  if (!bytes.empty()) queue_.push_back(bytes);
  if (queued_ >= write_size) write_queue();
}

void SegmentWriter::write_queue() {
  write_at(part_, part_path_, room_ + data_end_, std::span(queue_));
  data_end_ += queued_;
  queued_ = 0;
  queue_.clear();
  staged_.clear();
}

bool SegmentWriter::seal(const std::string& about, Empty empty) {
  const auto finish = [&] {
    check_written(journal_.close(), "cannot finish writing the file", journal_path_);
    platform::os::remove(journal_path_);
  };
  std::error_code error;
  if (header_.records() == 0 && empty == Empty::removed) {
    check_written(part_.close(), "cannot finish writing the file", part_path_);
    platform::os::remove(part_path_);
    finish();
    return false;
  }
  const std::string header = header_.text(about, room_, options_.checksums);
  write_at(part_, part_path_, 0, std::as_bytes(std::span(header)));
  // What a failure left behind the last record that is whole.
  platform::os::resize(part_, room_ + header_.end(), error);
  check_written(error, "cannot cut the file to its size", part_path_);
  const bool durable = options_.durability != Durability::none;
  if (durable) platform::os::synchronise(part_, error);
  check_written(error, "cannot synchronise the file with the disk", part_path_);
  check_written(part_.close(), "cannot finish writing the file", part_path_);
  platform::os::rename(part_path_, sealed_file(folder_, number_), error);
  check_written(error, "cannot rename the file", part_path_);
  if (durable) platform::os::synchronise_folder(folder_, error);
  check_written(error, "the file is in place, but cannot synchronise its folder", part_path_);
  finish();
  return true;
}

}  // namespace safestructures::inline v0::recording
