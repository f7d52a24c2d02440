#include "platform/atomic_file.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "platform/matrix_parts.hpp"
#include "platform/memory.hpp"
#include "platform/parallel.hpp"
#include "platform/save_target.hpp"
#include "platform/system_error.hpp"

namespace safestructures::inline v0::platform {
namespace {

// The page cache keeps writes of this size, if they end on a multiple of it, in large folios: such
// a file is touched through a mapping in 3.5 ms per GiB, one written in 1 MiB pieces in 15 to 52
// ms.
constexpr std::uint64_t cut_size = std::uint64_t{2} << 20U;
// From this size on, a reference in the queue is cheaper than a copy.
constexpr std::size_t reference_from = std::size_t{64} << 10U;
// A queue that does not begin at a cut may hold nearly two cuts.
constexpr std::size_t largest_staging = 2 * cut_size;
constexpr std::size_t smallest_staging = 2 * Sink::largest_minimum;
// Below this size the extra system call costs more than it saves.
constexpr std::uint64_t reserve_from = cut_size;
// From this size on, if the final size is unknown, disk space is reserved before each write: 4.4 MB
// took 0.57 ms this way, 0.82 ms without. Also, when a file replaces another, ext4 writes blocks
// without reserved space to the disk (`auto_da_alloc`), which took 2 ms more. Reserving more than
// needed and giving it back took 0.2 ms.
constexpr std::uint64_t unexpected_from = reserve_from / 2;
// Keeps the disk busy while writing continues: 298 ms instead of 464 for a durable GiB.
constexpr std::uint64_t write_back_step = std::uint64_t{16} << 20U;
// From twice this size on, threads share the computation: starting one is cheap compared with
// converting or reordering 4 MiB and writing them.
constexpr std::size_t computed_share = std::size_t{4} << 20U;
constexpr std::uint64_t durable_part = 2 * write_back_step;

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path, AtomicFileOptions options)
    : path_(std::move(path)), options_(options), cut_(cut_size) {
  const SaveTarget target = save_target(path_);
  target_ = target.path;
  most_staged_ = options.size_hint == 0 || options.size_hint > largest_staging
                     ? largest_staging
                     : std::max(smallest_staging, static_cast<std::size_t>(options.size_hint));
  queue_.reserve(2 * largest_staging / reference_from);
  create(target.existing);
}

void AtomicFile::create(const std::optional<os::Status>& existing) {
  // Never more accessible than the file it replaces, not even temporarily: until `keep_access`, its
  // group is this process's own.
  std::error_code error;
  temporary_.create(target_, existing ? existing->permissions & 0600 : 0666, error);
  if (error) fail("cannot create a file in its folder", error);
  if (existing) os::keep_access(temporary_.file(), *existing, error);
  if (error) fail("cannot keep the permissions of the file", error);
  expect(options_.size_hint);
}

void AtomicFile::expect(std::uint64_t size) {
  if (size < std::max(position(), reserved_) + reserve_from) return;
  std::error_code error;
  os::reserve(temporary_.file(), size, error);
  if (error) fail("cannot reserve " + std::to_string(size) + " bytes on the disk", error);
  reserved_ = size;
}

void AtomicFile::reserve_queued() {
  if (queued_ == 0 || options_.size_hint != 0) return;
  if (position() < unexpected_from || position() <= reserved_) return;
  os::reserve_behind(temporary_.file(), reserved_, position() - reserved_);
  reserved_ = position();
}

bool AtomicFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  flush();
  try {
    write_at(offset, bytes);
  } catch (...) {
    temporary_.discard();
    throw;
  }
  return true;
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (bytes.size() < reference_from) return write_copied(bytes);
  require_open();
  while (!bytes.empty()) {
    const std::uint64_t room = cut_ - std::min(cut_, position());
    if (bytes.size() < room) return queue(bytes);
    // Up to the last cut inside; in durable files, up to where write-back is due.
    const std::uint64_t whole_cuts = (bytes.size() - room) / cut_size * cut_size;
    const std::uint64_t most = options_.durable ? write_back_step - cut_size : whole_cuts;
    const auto taken = static_cast<std::size_t>(room + std::min(whole_cuts, most));
    if (taken != 0) queue(bytes.first(taken));
    write_queue();
    bytes = bytes.subspan(taken);
  }
}

std::span<std::byte> AtomicFile::prepare(std::size_t minimum, std::size_t wanted) {
  require_open();
  if (staging_size_ < most_staged_ && staging_size_ - staged_ < wanted) stage_more(wanted);
  if (staging_size_ - staged_ < minimum) write_queue();
  const std::uint64_t room = cut_ - std::min(cut_, position());
  // A producer that cannot split its elements at the cut may exceed it.
  const auto up_to_cut = std::max(minimum, static_cast<std::size_t>(room));
  return {staging_.get() + staged_, std::min({wanted, up_to_cut, staging_size_ - staged_})};
}

// Starts small: most files stage little, only the ends of a header, and touching a huge page takes
// longer.
void AtomicFile::stage_more(std::size_t wanted) {
  const std::size_t size = staging_ || wanted > smallest_staging ? most_staged_ : smallest_staging;
  std::shared_ptr<std::byte> more = allocate_buffer(size);
  small_staging_ = std::exchange(staging_, std::move(more));  // The queue may refer to it.
  staging_size_ = size;
  staged_ = 0;
}

void AtomicFile::produced(std::size_t size) {
  const std::span<const std::byte> bytes(staging_.get() + staged_, size);
  staged_ += size;
  if (!queue_.empty() && queue_.back().data() + queue_.back().size() == bytes.data()) {
    queue_.back() = {queue_.back().data(), queue_.back().size() + size};
    queued_ += size;
  } else if (size != 0) {
    queue(bytes);
  }
  if (position() >= cut_) write_queue();
}

void AtomicFile::queue(std::span<const std::byte> bytes) {
  queue_.push_back(bytes);
  queued_ += bytes.size();
}

void AtomicFile::flush() {
  require_open();
  write_queue();
}

void AtomicFile::write_queue() {
  reserve_queued();
  std::span<std::span<const std::byte>> left(queue_);
  while (!left.empty()) {
    std::error_code error;
    std::size_t count = os::write_some(temporary_.file(), written_, left, error);
    if (!error && count == 0) error = make_error_code(std::errc::io_error);
    if (error) fail("cannot write the file", error);
    written_ += count;
    queued_ -= count;
    while (!left.empty() && count >= left.front().size()) {
      count -= left.front().size();
      left = left.subspan(1);
    }
    if (count != 0) left.front() = left.front().subspan(count);
  }
  queue_.clear();
  staged_ = 0;
  move_cut();
  if (options_.durable) write_back();
}

void AtomicFile::move_cut() { cut_ = (written_ + 2 * cut_size - 1) / cut_size * cut_size; }

// While one thread is in the system call, which allows only one writer per file at a time, the
// others compute: storing F64 as F32 is then as fast as writing alone (W6 in
// benchmarks/RESULTS.md). Pieces end on cuts, as everywhere.
void AtomicFile::compute(std::uint64_t size, std::size_t unit, const Producer& produce) {
  const unsigned threads = threads_for(static_cast<std::size_t>(size), computed_share);
  if (threads == 1 || cut_size % unit != 0) return Sink::compute(size, unit, produce);
  stage_for(threads);
  if (!options_.durable) return compute_part(size, unit, threads, produce);
  // The disk starts on one part while threads compute the next.
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t room = (durable_part - written_ % cut_size) / unit * unit;
    const std::uint64_t part = std::min(size - done, room);
    compute_part(part, unit, threads, [&](std::uint64_t offset, std::span<std::byte> bytes) {
      produce(done + offset, bytes);
    });
    write_back();
    done += part;
  }
}

// Gives each thread room for what it computes until the next cut.
void AtomicFile::stage_for(unsigned threads) {
  require_open();
  write_queue();
  if (staging_size_ >= threads * cut_size) return;
  staging_ = allocate_buffer(threads * cut_size);
  staging_size_ = static_cast<std::size_t>(threads * cut_size);
}

// Each row of a part goes to its place by itself, 32 KiB or more, and other parts fill what lies
// between.
void AtomicFile::compute_matrix(std::uint64_t rows, std::uint64_t row_size, std::size_t unit,
                                const PartProducer& produce) {
  const unsigned threads = threads_for(static_cast<std::size_t>(rows * row_size), computed_share);
  stage_for(threads);
  const MatrixParts parts(rows, row_size, unit, cut_size);
  try {
    in_pieces(
        static_cast<std::size_t>(parts.count()), 1,
        [&](std::size_t index, std::size_t, unsigned worker) {
          const Part part = parts[index];
          const std::span<std::byte> room(staging_.get() + worker * cut_size,
                                          static_cast<std::size_t>(part.rows) * part.size);
          produce(part, room);
          for (std::uint64_t i = 0; i < part.rows; ++i)
            write_at(written_ + (part.row + i) * row_size + part.begin,
                     room.subspan(static_cast<std::size_t>(i) * part.size, part.size));
        },
        threads);
  } catch (...) {
    temporary_.discard();
    throw;
  }
  written_ += rows * row_size;
  move_cut();
  if (options_.durable) write_back();
}

void AtomicFile::compute_part(std::uint64_t size, std::size_t unit, unsigned threads,
                              const Producer& produce) {
  const std::uint64_t begin = written_;
  const std::uint64_t lead = begin % cut_size;  // What the first cut already holds.
  const auto end_of = [&](std::uint64_t cut) {
    return cut == lead + size ? size : cut <= lead ? 0 : (cut - lead) / unit * unit;
  };
  try {
    in_pieces(
        static_cast<std::size_t>(lead + size), cut_size,
        [&](std::size_t cut, std::size_t length, unsigned worker) {
          const std::uint64_t from = end_of(cut);
          const std::span<std::byte> room(staging_.get() + worker * cut_size,
                                          static_cast<std::size_t>(end_of(cut + length) - from));
          if (room.empty()) return;
          produce(from, room);
          write_at(begin + from, room);
        },
        threads);
  } catch (...) {
    temporary_.discard();
    throw;
  }
  written_ += size;
  move_cut();
}

void AtomicFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    std::error_code error;
    const std::size_t count = os::write_some(temporary_.file(), offset, {&bytes, 1}, error);
    if (!error && count == 0) error = make_error_code(std::errc::io_error);
    if (error)
      throw system_error(ErrorCode::cannot_write, "cannot write the file", path_, error, offset);
    offset += count;
    bytes = bytes.subspan(count);
  }
}

void AtomicFile::write_back() {
  const std::uint64_t size = (written_ - written_back_) / write_back_step * write_back_step;
  if (size == 0) return;
  os::start_writeback(temporary_.file(), written_back_, size);
  written_back_ += size;
}

void AtomicFile::commit() {
  finish();
  publish();
}

void AtomicFile::finish() {
  require_open();
  write_queue();
  std::error_code error;
  if (reserved_ > written_) os::resize(temporary_.file(), written_, error);
  if (error) fail("cannot cut the file to its size", error);
  if (options_.durable) os::synchronise(temporary_.file(), error);
  if (error) fail("cannot synchronise the file with the disk", error);
  error = temporary_.file().close();
  if (error) fail("cannot finish writing the file", error);
  staging_.reset();
  small_staging_.reset();
  staging_size_ = 0;
}

void AtomicFile::publish() {
  std::error_code error;
  temporary_.rename_to(target_, error);
  if (error) fail("cannot rename the temporary file", error);
  if (!options_.durable) return;
  const std::filesystem::path folder = target_.parent_path();
  os::synchronise_folder(folder.empty() ? std::filesystem::path(".") : folder, error);
  if (error) fail("the file is in place, but cannot synchronise its folder", error);
}

void AtomicFile::fail(std::string_view operation, std::error_code cause) {
  const std::uint64_t offset = written_;
  temporary_.discard();
  throw system_error(ErrorCode::cannot_write, operation, path_, cause,
                     offset == 0 ? std::nullopt : std::optional(offset));
}

void AtomicFile::require_open() const {
  if (temporary_.is_open()) return;
  throw Error(ErrorCode::invalid_argument, "the file is already finished",
              {.file = path_.string(),
               .path = {},
               .expected = "no call after a commit or a failure",
               .found = "one",
               .advice = "Write to a new file",
               .offset = {}});
}

}  // namespace safestructures::inline v0::platform
