/// \file
/// gzip around a file of any format: `model.safetensors.gz`, `model.json.gz`.
///
/// `open`, `load_file`, `load` and `verify_file` unpack what begins as gzip does; `save_file` packs
/// where the file's name ends in `.gz`. What is here serves those who bring their own Source or
/// Sink.
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

/// Packing and unpacking, for those who bring their own Source or Sink.
namespace safestructures::inline v0::gzip {

/// The name of what a packed file holds: `model.json` of `model.json.gz`, whatever the case of the
/// ending. Another name is returned as it is.
[[nodiscard]] SAFESTRUCTURES_API std::string_view inner_name(std::string_view file_name) noexcept;

/// A source of what is packed in `source`, of the same name, in memory as a whole; `source` itself
/// where it does not begin as gzip does (RFC 1952).
///
/// One member or several are unpacked. The checksum and the length of each are compared, and
/// nothing may follow the last. `LoadOptions::access` says whether the packed bytes are mapped or
/// read; `Limits::expansion` bounds what they become.
/// \throws Error `damaged`, `truncated`, `checksum_mismatch`, `invalid_header`, `limit_exceeded`,
/// naming the source
[[nodiscard]] SAFESTRUCTURES_API std::shared_ptr<const Source> unpacked(
    const std::shared_ptr<const Source>& source, const LoadOptions& options = {});

/// Packs what it is given as one gzip member into another sink. The bytes depend on nothing but the
/// content: no name, no time. Asks the allocator for 24 MiB at most, by which
/// the process grows by some 35, and packs what is larger than 1 MiB on up to 8 threads.
class SAFESTRUCTURES_API Packer final : public Sink {
 public:
  /// Packs into `target`.
  /// \param target must outlive this, and be given nothing by others meanwhile
  explicit Packer(Sink& target, const Limits& limits = {});
  ~Packer() override;

  void write(std::span<const std::byte> bytes) override { write_copied(bytes); }
  /// Bytes taken so far, which are more than the target has.
  [[nodiscard]] std::uint64_t position() const noexcept override;
  [[nodiscard]] std::span<std::byte> prepare(std::size_t minimum, std::size_t wanted) override;
  void produced(std::size_t size) override;
  [[nodiscard]] std::string file_name() const override;

  /// Writes what is left, and flushes the target. To be called once, as the last: what is not
  /// finished cannot be unpacked.
  /// \throws Error `limit_exceeded` for what `unpacked` would refuse by the same limits; what the
  /// target throws
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace safestructures::inline v0::gzip
