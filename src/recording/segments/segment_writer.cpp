#include "recording/segments/segment_writer.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

#include <safestructures/data/error.hpp>
#include "platform/parallel.hpp"
#include "recording/segments/files.hpp"

namespace safestructures::inline v0::recording {
namespace {

// The approximate size of one write.
constexpr std::size_t write_size = std::size_t{1} << 20U;
// Smaller pieces are first copied together. Larger ones are written from where they are: the first
// touch of the memory for copies of 1,000 records of 256 B took a tenth of the time of recording
// them.
constexpr std::size_t staged_size = std::size_t{256} << 10U;
constexpr std::size_t staged_below = 128;
// A segment that is sealed at once has less data. For more, a second thread computes hashes
// meanwhile, and the journal is a small part.
constexpr std::uint64_t at_once_below = std::uint64_t{1} << 20U;
// From this size on, a batch's disk space is reserved, which makes writing 1.5 times as fast.
constexpr std::uint64_t reserved_from = std::uint64_t{1} << 20U;
// From twice this size on, a batch is hashed while it is written: hashing takes a third of the time
// (12 GB/s compared with 4 GB/s into the page cache), and a thread starts in 60 us.
constexpr std::size_t hash_share = std::size_t{1} << 20U;
constexpr std::uint32_t permissions = 0666;
// The size of a frame without its name; also a bound on what the header needs for it.
constexpr std::uint64_t frame_bound = 160;
// Between tensors, for alignment.
constexpr std::array<std::byte, 8> zeros{};

platform::os::File create(const std::filesystem::path& path) {
  std::error_code error;
  platform::os::File file = platform::os::create_new(path, permissions, error);
  check_written(error, "cannot create the file", path);
  return file;
}

/// The same, replacing a file left by a recorder that was killed.
platform::os::File create_instead(const std::filesystem::path& path) {
  std::error_code error;
  platform::os::File file = platform::os::create_new(path, permissions, error);
  if (error == std::errc::file_exists) {
    platform::os::remove(path);
    return create(path);
  }
  check_written(error, "cannot create the file", path);
  return file;
}

void synchronise(const platform::os::File& file, const std::filesystem::path& path) {
  std::error_code error;
  platform::os::synchronise(file, error);
  check_written(error, "cannot synchronise the file with the disk", path);
}

}  // namespace

SegmentWriter::SegmentWriter(const std::filesystem::path& folder, std::uint64_t number,
                             std::uint64_t room, const SegmentOptions& options,
                             SegmentBuffers& buffers)
    : folder_(folder),
      number_(number),
      room_(room),
      options_(options),
      buffers_(buffers),
      part_path_(part_file(folder, number)),
      journal_path_(journal_file(folder, number)) {}

void SegmentWriter::begin() {
  // The journal first: without one, the data could not be interpreted.
  journal_ = create(journal_path_);
  try {
    std::vector<std::byte> head;
    append_head(head, {.segment = number_, .room = room_, .checksums = options_.checksums});
    write_at(journal_, journal_path_, 0, head);
    told_end_ = journal_end_ = head.size();
    part_ = create(part_path_);
  } catch (...) {
    platform::os::remove(journal_path_);
    throw;
  }
  // From here on both files are ours, and removed again if nothing is recorded.
  has_begun_ = true;
  // So that there is room for the header even if the disk fills up later.
  std::error_code error;
  platform::os::reserve(part_, room_, error);
  check_written(error, "cannot reserve room for the header", part_path_);
  if (options_.durability == Durability::batch) platform::os::synchronise_folder(folder_, error);
  check_written(error, "cannot synchronise the folder with the disk", folder_);
}

std::optional<std::uint32_t> SegmentWriter::admit(std::string_view name, std::uint64_t cost,
                                                  std::uint64_t cost_of_name,
                                                  std::uint64_t in_journal) {
  const std::optional<std::uint32_t> known = header_.find_name(name);
  const std::uint64_t needed = header_.bound() + batch_cost_ + cost - (known ? cost_of_name : 0);
  in_journal += frame_bound + name.size();
  const bool is_first = header_.records() == 0 && buffers_.batch.empty();
  if (!is_first && (needed > room_ || journal_cost_ + in_journal > options_.largest_journal))
    return std::nullopt;
  batch_cost_ += cost - cost_of_name;
  journal_cost_ += in_journal;
  return known ? known : header_.add_name(name);
}

bool SegmentWriter::add(PreparedRecord& record) {
  const std::string_view name = record.frame.head.name;
  const auto place = admit(name, record.cost, SegmentHeader::cost_of_name(name), record.cost);
  if (place) buffers_.batch.add(std::move(record), *place);
  return place.has_value();
}

bool SegmentWriter::add(const PreparedRow& row) {
  const bool is_new = !buffers_.batch.has_kind_of(row);
  const std::uint64_t cost = is_new ? row.cost : SegmentColumns::record_size + row.cost_of_name;
  const auto place = admit(row.head->name, cost, row.cost_of_name, is_new ? row.cost : 0);
  if (place) buffers_.batch.add(row, *place);
  return place.has_value();
}

void SegmentWriter::write_batch() {
  SegmentBatch& batch = buffers_.batch;
  if (batch.empty()) return;
  if (!has_begun_) begin();
  const std::uint64_t bytes = batch.place(data_end_) - data_end_;
  if (bytes >= reserved_from) platform::os::reserve_behind(part_, room_ + data_end_, bytes);
  const unsigned threads = platform::threads_for(bytes, hash_share);
  const auto work = [&](std::size_t part, std::size_t, unsigned) {
    part == 0 ? write_data() : make_frames(buffers_.frames, false);
  };
  if (threads > 1) platform::in_pieces(2, 1, work, threads);
  else write_data();
  if (options_.durability == Durability::batch) synchronise(part_, part_path_);
  // Reuses the buffer that data were copied to: its memory was touched and is in the cache.
  std::vector<std::byte>& frames = threads > 1 ? buffers_.frames : buffers_.staged;
  is_journal_ahead_ = true;
  if (threads == 1) make_frames(frames, true);
  write_frames(frames);
  if (options_.durability == Durability::batch) synchronise(journal_, journal_path_);
  batch.add_to(header_, options_.checksums);
  told_end_ = journal_end_;
  is_journal_ahead_ = false;
  drop_batch();
}

void SegmentWriter::drop_batch() noexcept {
  // Right away: later there may be no memory to seal the file, and recovery would find records that
  // the recorder reported as lost.
  static_cast<void>(cut_journal());
  buffers_.batch.clear();
  batch_cost_ = 0;
}

void SegmentWriter::write_data() {
  std::uint64_t end = data_end_;
  buffers_.batch.each_piece([&](std::uint64_t begin, std::span<const std::byte> bytes) {
    queue(std::span(zeros).first(static_cast<std::size_t>(begin - end)));
    queue(bytes);
    end = begin + bytes.size();
  });
  write_queue();
}

void SegmentWriter::make_frames(std::vector<std::byte>& frames, bool write) {
  SegmentBatch& batch = buffers_.batch;
  if (options_.checksums) batch.hash(true);
  if (write) frames.reserve(staged_size + staged_below);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch.append_frame(frames, i);
    if (write && frames.size() >= staged_size) write_frames(frames);
  }
}

void SegmentWriter::write_frames(std::vector<std::byte>& frames) {
  write_at(journal_, journal_path_, journal_end_, frames);
  journal_end_ += frames.size();
  frames.clear();
}

void SegmentWriter::queue(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const bool is_staged = bytes.size() < staged_below;
  queued_ += bytes.size();
  if (is_staged) {
    // Never grows beyond this, because the queue points into it.
    buffers_.staged.reserve(staged_size + staged_below);
    const std::size_t place = buffers_.staged.size();
    buffers_.staged.insert(buffers_.staged.end(), bytes.begin(), bytes.end());
    bytes = std::span(buffers_.staged).subspan(place);
    // Extends the block of the previous piece.
    if (place != 0 && buffers_.queue.back().data() + buffers_.queue.back().size() == bytes.data()) {
      buffers_.queue.back() = {buffers_.queue.back().data(),
                               buffers_.queue.back().size() + bytes.size()};
      bytes = {};
    }
  }
  if (!bytes.empty()) buffers_.queue.push_back(bytes);
  if (queued_ >= write_size || buffers_.staged.size() >= staged_size ||
      buffers_.queue.size() >= platform::os::most_blocks)
    write_queue();
}

void SegmentWriter::write_queue() {
  write_at(part_, part_path_, room_ + data_end_, std::span(buffers_.queue));
  data_end_ += queued_;
  queued_ = 0;
  buffers_.queue.clear();
  buffers_.staged.clear();
}

bool SegmentWriter::is_sealed_at_once() const noexcept {
  return !has_begun_ && buffers_.batch.bytes() < at_once_below;
}

void SegmentWriter::seal(const std::string& about, Empty empty,
                         const std::function<void()>& named) {
  if (is_sealed_at_once()) {
    if (!buffers_.batch.empty() || empty == Empty::kept) write_whole(about, named);
    return;
  }
  if (header_.records() != 0) {
    check_written(cut_journal(), "cannot cut the file to its size", journal_path_);
    write_front(header_.front(about, room_, options_.checksums));
    cut();  // Removes what a failure left after the last whole record.
    finish(named);
  } else {
    static_cast<void>(part_.close());
    platform::os::remove(part_path_);
  }
  static_cast<void>(journal_.close());
  platform::os::remove(journal_path_);
}

void SegmentWriter::write_whole(const std::string& about, const std::function<void()>& named) {
  SegmentBatch& batch = buffers_.batch;
  part_path_ = new_file(folder_);
  part_ = create_instead(part_path_);
  try {
    batch.place(0);
    if (options_.checksums) batch.hash(false);
    batch.add_to(header_, options_.checksums);
    const SegmentFront front = header_.front(about, 0, options_.checksums);
    room_ = front.size();
    write_front(front);
    write_data();
    if (data_end_ == 0) cut();  // Otherwise the zeros at the end of the front would be missing.
    finish(named);
  } catch (...) {
    platform::os::remove(part_path_);
    throw;
  }
  drop_batch();
}

void SegmentWriter::write_front(const SegmentFront& front) {
  std::vector<platform::os::Bytes> blocks = {std::as_bytes(std::span(front.header))};
  std::ranges::copy(front.columns, std::back_inserter(blocks));
  // Without the trailing zeros: nothing else was ever there.
  write_at(part_, part_path_, 0, std::span(blocks));
}

std::error_code SegmentWriter::cut_journal() noexcept {
  std::error_code error;
  if (is_journal_ahead_) platform::os::resize(journal_, told_end_, error);
  if (!error) is_journal_ahead_ = false;
  return error;
}

void SegmentWriter::cut() {
  std::error_code error;
  platform::os::resize(part_, room_ + header_.end(), error);
  check_written(error, "cannot cut the file to its size", part_path_);
}

void SegmentWriter::finish(const std::function<void()>& named) {
  const bool durable = options_.durability != Durability::none;
  if (durable) synchronise(part_, part_path_);
  check_written(part_.close(), "cannot finish writing the file", part_path_);
  std::error_code error;
  platform::os::rename(part_path_, sealed_file(folder_, number_), error);
  if (error == std::errc::no_such_file_or_directory)
    throw Error(ErrorCode::cannot_write,
                "the file is gone: it or its folder was removed or renamed while it was written",
                {.file = part_path_.string(),
                 .advice = "Leave the folder alone until the recorder is closed"});
  check_written(error, "cannot rename the file", part_path_);
  named();
  if (durable) platform::os::synchronise_folder(folder_, error);
  check_written(error, "the file is in place, but cannot synchronise its folder", part_path_);
}

}  // namespace safestructures::inline v0::recording
