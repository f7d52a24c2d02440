#include "recording/segment_writer.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <span>
#include <system_error>
#include <utility>

#include <safestructures/data/error.hpp>
#include "platform/parallel.hpp"
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
      journal_path_(journal_file(folder, number)),
      header_(room) {
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

void SegmentWriter::add(PreparedRecord record) {
  Frame& frame = record.frame;
  const std::uint64_t alignment = frame.begin == frame.end ? 1 : record.alignment;
  const std::uint64_t begin = (batch_end_ + alignment - 1) / alignment * alignment;
  for (StoredTensor& tensor : frame.tensors) {
    tensor.begin += begin;
    tensor.end += begin;
  }
  frame.end += begin;
  frame.begin = begin;
  batch_end_ = frame.end;
  batch_cost_ += record.cost;
  batch_.push_back(std::move(record));
}

void SegmentWriter::write_batch() {
  if (batch_.empty()) return;
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
  for (PreparedRecord& record : batch_) {
    constexpr std::array<std::byte, 8> zeros{};
    if (const std::uint64_t gap = record.frame.begin - header_.end(); gap != 0)
      header_.add_gap(record.frame.begin, hash_of(std::span(zeros).first(gap)));
    header_.add(std::move(record.frame), record.cost);
  }
  batch_.clear();
  batch_cost_ = 0;
}

void SegmentWriter::write_data() {
  static constexpr std::array<std::byte, 8> zeros{};
  for (const PreparedRecord& record : batch_) {
    const std::uint64_t gap = record.frame.begin - data_end_ - queued_;
    queue(std::span(zeros).first(static_cast<std::size_t>(gap)));
    for (const Tensor& tensor : record.tensors) queue(tensor.bytes());
  }
  write_queue();
}

void SegmentWriter::make_frames() {
  frames_.clear();
  for (PreparedRecord& record : batch_) {
    for (std::size_t i = 0; options_.checksums && i < record.tensors.size(); ++i)
      record.frame.tensors[i].hash = hash_of(record.tensors[i].bytes());
    append_frame(frames_, record.frame);
  }
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

bool SegmentWriter::seal(const std::string& about) {
  const auto finish = [&] {
    check_written(journal_.close(), "cannot finish writing the file", journal_path_);
    platform::os::remove(journal_path_);
  };
  std::error_code error;
  if (header_.records() == 0) {
    check_written(part_.close(), "cannot finish writing the file", part_path_);
    platform::os::remove(part_path_);
    finish();
    return false;
  }
  if (!header_.has_tensors()) {
    constexpr std::array<std::byte, 8> zeros{};
    write_at(part_, part_path_, room_ + header_.end(), zeros);
    header_.add_dummy();
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
