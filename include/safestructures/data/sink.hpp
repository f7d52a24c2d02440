/// \file
/// Where bytes go: a file, a stream, memory, or a user-defined sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// A receiver of bytes, in order. A class of your own must implement `write` and `position`.
///
/// After any member has thrown, the sink may only be destroyed.
class SAFESTRUCTURES_API Sink {
 public:
  virtual ~Sink();

  /// Takes the next bytes. They may be read as late as in `flush`, so they must stay valid and
  /// unchanged until then.
  virtual void write(std::span<const std::byte> bytes) = 0;

  /// The number of bytes taken so far.
  [[nodiscard]] virtual std::uint64_t position() const noexcept = 0;

  /// Finishes with all bytes passed to `write`, which need not stay valid any longer.
  virtual void flush() {}

  /// Announces how many bytes will be written in total, before the first or as soon as it is known.
  /// Announcing too few only costs time; announcing more than the disk has room for throws at once.
  virtual void expect(std::uint64_t size) { static_cast<void>(size); }

  /// Provides room for the sink's next bytes, for producers that compute them, to save a copy: fill
  /// the front of it, then call `produced` with the number of bytes before calling anything else.
  /// \param minimum at least 1, at most `wanted` and `largest_minimum`
  /// \param wanted at least 1
  /// \returns between `minimum` and `wanted` bytes, at an unaligned address
  [[nodiscard]] virtual std::span<std::byte> prepare(std::size_t minimum, std::size_t wanted);
  /// Takes the first `size` bytes of the room from `prepare`.
  virtual void produced(std::size_t size);

  /// Fills `room` with the bytes from `offset` on.
  using Producer = std::function<void(std::uint64_t offset, std::span<std::byte> room)>;

  /// Takes `size` bytes that are computed in pieces. The offsets of the pieces are multiples of
  /// `unit`, and so are their sizes, except for the last. A file sink has large pieces computed by
  /// several threads at once, in any order.
  /// \param unit at most `largest_minimum`
  virtual void compute(std::uint64_t size, std::size_t unit, const Producer& produce);

  /// A part of a matrix of bytes: some rows, and of each the same bytes.
  struct Part {
    std::uint64_t row = 0;    ///< The first row.
    std::uint64_t rows = 0;   ///< The number of rows.
    std::uint64_t begin = 0;  ///< The offset of the part's first byte in each row.
    std::size_t size = 0;     ///< The bytes of each row.
  };
  /// Fills `room` with a part, row by row.
  using PartProducer = std::function<void(const Part& part, std::span<std::byte> room)>;

  /// Takes `rows` rows of `row_size` bytes each that are computed in parts of many rows, such as
  /// those of a matrix that lies column by column in memory. Sinks that cannot write here and there
  /// gather up to 32 MiB of whole rows; a file sink has parts computed by several threads at once,
  /// in any order. \param unit as for `compute`; divides `row_size` and the sizes of parts
  virtual void compute_matrix(std::uint64_t rows, std::uint64_t row_size, std::size_t unit,
                              const PartProducer& produce);

  /// Replaces bytes that were taken, from `offset` on, such as a length at the front that is only
  /// known at the end. With no bytes, it changes nothing and tells whether the sink can do this.
  /// \returns false if it cannot: bytes that went to a stream cannot be taken back
  virtual bool overwrite(std::uint64_t offset, std::span<const std::byte> bytes);

  /// The name of the file without its folder; empty if this is not a file.
  [[nodiscard]] virtual std::string file_name() const { return {}; }

  /// Returns a sink for another file in the same folder, for data saved in several files. The files
  /// become visible together: this one first, then the others in the order in which they were
  /// requested. A sibling may be written to until the next is requested, and lives as long as this
  /// sink.
  /// \throws Error `invalid_argument` if this sink is not a file
  [[nodiscard]] virtual Sink& sibling(std::string_view file_name);

  /// The path of the file; empty if this is not a file.
  [[nodiscard]] virtual std::filesystem::path path() const { return {}; }

  /// Has a file in the same folder, an earlier save that this one replaces, removed once this file
  /// and its siblings are visible. No such file is no error. Does nothing if this is not a file.
  virtual void replaces(std::string_view file_name) { static_cast<void>(file_name); }

  /// Takes the next bytes without referring to them afterwards.
  void write_copied(std::span<const std::byte> bytes);

  /// The size that every sink can provide in one piece.
  static constexpr std::size_t largest_minimum = 4096;

 protected:
  Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

 private:
  std::unique_ptr<std::byte[]> room_;  // Used by sinks that do not provide their own.
};

/// Calls `fill` to write a file, and siblings next to it, under temporary names in its folder, and
/// then renames them: existing files are replaced as a whole or not at all. Symbolic links are
/// followed, and permissions are kept. Last, it removes what `Sink::replaces` named.
/// \param durable whether the file survives a power failure after the call has returned
/// \throws Error `cannot_write`; what `fill` throws
SAFESTRUCTURES_API void write_file(const std::filesystem::path& path,
                                   const std::function<void(Sink&)>& fill, bool durable = false);

}  // namespace safestructures::inline v0
