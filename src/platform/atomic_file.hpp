/// \file
/// Writes files that appear complete or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "platform/os.hpp"
#include "platform/sink.hpp"
#include "platform/temporary_file.hpp"

namespace safestructures::inline v0::platform {

struct AtomicFileOptions {
  /// The least number of bytes that will be written, if known; 0 otherwise. Too small a number only
  /// costs time.
  std::uint64_t size_hint = 0;
  /// Whether `commit` returns only once the file and its name would survive a loss of power.
  /// Otherwise, a loss of power within the next half minute or so may destroy both the new and the
  /// old file.
  bool durable = false;
};

/// A new file that appears under its name when `commit` returns, replacing any existing file.
///
/// It is written as a `TemporaryFile`: without a commit, the destructor removes it. A reader or
/// mapping of the old file keeps the old content.
///
/// Symbolic links are followed: the file that a link names is replaced, the link stays. A replaced
/// file's permission bits are kept, as are owner and group if the system allows; access control
/// lists and other names of the file (hard links) are not. A file that this user may not write is
/// not replaced, even if its folder would allow it.
///
/// Memory in addition to the caller's data: at most 4 MiB, or 2 MiB for each computing thread.
class AtomicFile final : public Sink {
 public:
  /// \throws Error `cannot_write` if the file cannot be created, if `size_hint` does not fit on the
  /// disk, or if the path names a folder, pipe, socket or device.
  explicit AtomicFile(std::filesystem::path path, AtomicFileOptions options = {});
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() override = default;

  // From 64 KiB on, `write` refers to the caller's memory without copying it.
  void write(std::span<const std::byte> bytes) override;
  std::span<std::byte> prepare(std::size_t minimum, std::size_t wanted) override;
  void produced(std::size_t size) override;
  void compute(std::uint64_t size, std::size_t unit, const Producer& produce) override;
  void compute_matrix(std::uint64_t rows, std::uint64_t row_size, std::size_t unit,
                      const PartProducer& produce) override;
  void flush() override;
  /// Reserves disk space for the remaining bytes, if there are many.
  void expect(std::uint64_t size) override;
  bool overwrite(std::uint64_t offset, std::span<const std::byte> bytes) override;
  [[nodiscard]] std::uint64_t position() const noexcept override { return written_ + queued_; }

  /// Writes what is left and gives the file its name: `finish` and `publish`. Call once, last.
  /// \throws Error `cannot_write`. The old file is then unchanged, unless the text says that the
  /// folder could not be synchronised: then the new file is in place, but may not survive a loss of
  /// power.
  void commit();

  /// Writes what is left and closes the file, which keeps its temporary name.
  /// \throws Error `cannot_write`
  void finish();
  /// Gives the finished file its name. \throws Error as `commit`
  void publish();

 private:
  void create(const std::optional<os::Status>& existing);
  void stage_more(std::size_t wanted);
  void stage_for(unsigned threads);
  void queue(std::span<const std::byte> bytes);
  void write_queue();
  void reserve_queued();
  void compute_part(std::uint64_t size, std::size_t unit, unsigned threads,
                    const Producer& produce);
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  void move_cut();
  void write_back();
  [[noreturn]] void fail(std::string_view operation, std::error_code cause);
  void require_open() const;

  std::filesystem::path path_;    // As given by the caller.
  std::filesystem::path target_;  // The file that the rename replaces.
  TemporaryFile temporary_;
  AtomicFileOptions options_;

  std::vector<std::span<const std::byte>> queue_;
  std::uint64_t written_ = 0;       // Bytes in the file.
  std::uint64_t queued_ = 0;        // Bytes in the queue.
  std::uint64_t cut_ = 0;           // The offset at which the next system call should end.
  std::uint64_t reserved_ = 0;      // Disk space reserved in advance.
  std::uint64_t written_back_ = 0;  // Bytes that are being written to the disk.

  std::shared_ptr<std::byte> staging_;
  std::shared_ptr<std::byte> small_staging_;  // The previous one, as long as it was small.
  std::size_t most_staged_ = 0;               // The largest allowed size.
  std::size_t staging_size_ = 0;
  std::size_t staged_ = 0;
};

}  // namespace safestructures::inline v0::platform
