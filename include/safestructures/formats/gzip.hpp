/// \file
/// gzip around files of any format: `model.safetensors.gz`, `model.json.gz`.
///
/// `open`, `load_file`, `load` and `verify_file` unpack what begins like gzip; `save_file`
/// compresses if the file's name ends in `.gz`. The functions here are for a Source or Sink of your
/// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/sink.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/formats/options.hpp>

/// gzip for a Source or Sink of your own.
namespace safestructures::inline v0::gzip {

/// Returns the name of a compressed file's content: `model.json` for `model.json.gz`, whatever the
/// case of the ending. Another name is returned unchanged.
[[nodiscard]] SAFESTRUCTURES_API std::string_view inner_name(std::string_view file_name) noexcept;

/// Unpacks `source` into a source in memory with the same name. Returns `source` itself if it does
/// not begin like gzip (RFC 1952).
///
/// Unpacks one or more members. The checksum and length of each are verified, and nothing may
/// follow the last. `LoadOptions::access` decides whether the compressed bytes are mapped or read;
/// `Limits::expansion` limits the unpacked size.
/// \throws Error `damaged`, `truncated`, `checksum_mismatch`, `invalid_header`, `limit_exceeded`,
/// with the name of the source
[[nodiscard]] SAFESTRUCTURES_API std::shared_ptr<const Source> unpacked(
    const std::shared_ptr<const Source>& source, const LoadOptions& options = {});

/// Compresses its input as one gzip member into another sink. The bytes depend only on the content:
/// they hold no name and no time. Allocates at most 24 MiB, by which the process grows by about 35
/// MiB, and compresses more than 1 MiB of data on up to 8 threads.
class SAFESTRUCTURES_API Packer final : public Sink {
 public:
  /// Compresses into `target`.
  /// \param target must outlive this, and must not be used by others meanwhile
  explicit Packer(Sink& target, const Limits& limits = {});
  ~Packer() override;

  void write(std::span<const std::byte> bytes) override { write_copied(bytes); }
  /// The number of bytes taken so far, before compression.
  [[nodiscard]] std::uint64_t position() const noexcept override;
  [[nodiscard]] std::span<std::byte> prepare(std::size_t minimum, std::size_t wanted) override;
  void produced(std::size_t size) override;
  [[nodiscard]] std::string file_name() const override;

  /// Writes what is left, and flushes the target. Must be the last call, exactly once: otherwise
  /// the output cannot be unpacked.
  /// \throws Error `limit_exceeded` for what `unpacked` would refuse with the same limits; what the
  /// target throws
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace safestructures::inline v0::gzip
