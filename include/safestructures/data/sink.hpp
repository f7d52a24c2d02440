/// \file
/// Where bytes go: a file, a stream, memory, or what a user writes to.
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

/// A receiver of bytes, in order. A class of one's own needs `write` and `position`.
///
/// After any member has thrown, only destruction is allowed.
class SAFESTRUCTURES_API Sink {
 public:
  virtual ~Sink();

  /// Takes the next bytes. They may be looked at as late as in `flush`: until then they must stay
  /// valid and unchanged.
  virtual void write(std::span<const std::byte> bytes) = 0;

  /// Bytes taken so far.
  [[nodiscard]] virtual std::uint64_t position() const noexcept = 0;

  /// Lets go of everything that `write` referred to.
  virtual void flush() {}

  /// Announces how many bytes will be written in all, before the first or as soon as it is known.
  /// Where fewer are announced, that costs only time; more than the disk has room for is refused at
  /// once.
  virtual void expect(std::uint64_t size) { static_cast<void>(size); }

  /// Room for the sink's next bytes, for producers that compute them, so that nothing is copied
  /// twice: fill the front of it, then say how much by `produced`, before anything else is called.
  /// \returns between `minimum` and `wanted` bytes; the address is not aligned.
  /// \param minimum not above `wanted` nor `largest_minimum`; 1 at least. \param wanted 1 at least.
  [[nodiscard]] virtual std::span<std::byte> prepare(std::size_t minimum, std::size_t wanted);
  /// Takes the first `size` bytes of what `prepare` gave.
  virtual void produced(std::size_t size);

  /// Fills the room for the bytes from `offset` on.
  using Producer = std::function<void(std::uint64_t offset, std::span<std::byte> room)>;

  /// Takes `size` bytes that are computed in pieces. Their offsets and, but for the last, sizes are
  /// multiples of `unit`. A file has large ones computed by several threads at once, in any order.
  /// \param unit not above `largest_minimum`
  virtual void compute(std::uint64_t size, std::size_t unit, const Producer& produce);

  /// Replaces bytes that were taken, from `offset` on: what is known only at the end, a length in
  /// front. Of no bytes, it changes nothing and tells whether the sink can.
  /// \returns false where it cannot: what has left for a stream does not come back
  virtual bool overwrite(std::uint64_t offset, std::span<const std::byte> bytes);

  /// The name of the file, without its folder; empty where there is no file.
  [[nodiscard]] virtual std::string file_name() const { return {}; }

  /// Another file in the same folder, for what is saved in several. It becomes visible together
  /// with this one, those asked for later after those asked for earlier. It is written to until the
  /// next is asked for, and lives as long as this.
  /// \throws Error `invalid_argument` for a sink that is no file.
  [[nodiscard]] virtual Sink& sibling(std::string_view file_name);

  /// Takes the next bytes and does not refer to them afterwards.
  void write_copied(std::span<const std::byte> bytes);

  /// Bytes that every sink can give room for in one piece.
  static constexpr std::size_t largest_minimum = 4096;

 protected:
  Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

 private:
  std::unique_ptr<std::byte[]> room_;  // Of a sink that does not bring its own.
};

/// Lets `fill` write a file, and siblings beside it, under temporary names in its folder, and then
/// renames them: what was there is replaced whole or not at all. Symbolic links are followed, and
/// permissions are kept.
/// \param durable whether the file survives a loss of power once the call has returned
/// \throws Error `cannot_write`; what `fill` throws
SAFESTRUCTURES_API void write_file(const std::filesystem::path& path,
                                   const std::function<void(Sink&)>& fill, bool durable = false);

}  // namespace safestructures::inline v0
