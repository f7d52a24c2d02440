/// \file
/// ZIP archives, as far as NumPy's `.npz` needs them: APPNOTE.TXT 6.3.10, entries that are stored
/// or deflated, ZIP64, one disk, no encryption.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/sink.hpp>
#include <safestructures/data/source.hpp>

namespace safestructures::cli {

/// A file in an archive.
struct ZipEntry {
  std::string name;
  std::uint64_t begin = 0;   ///< Where its stored bytes begin.
  std::uint64_t stored = 0;  ///< How many there are.
  std::uint64_t size = 0;    ///< How many they become.
  std::uint32_t crc = 0;
  std::uint16_t method = 0;
};

/// The files of an archive, in the order of its directory. Their bytes do not overlap, and none
/// announces more than deflate can make of them, all together no more than `Limits::expansion`:
/// what reading them all takes is bounded by the size of the archive.
/// \throws Error `invalid_header`, `truncated`, `duplicate_name`, `limit_exceeded`, without a name
std::vector<ZipEntry> read_directory(std::span<const std::byte> archive, const Limits& limits);

/// The bytes of a file, its checksum compared: those of the archive where they are stored.
/// \throws Error `checksum_mismatch`, `invalid_header`
SharedBytes read_entry(const SharedBytes& archive, const ZipEntry& entry);

/// Writes an archive of stored files into a sink, in ZIP64's records throughout; without files it
/// is the plain end record alone.
class ZipWriter {
 public:
  explicit ZipWriter(Sink& sink) : sink_(sink), start_(sink.position()) {}

  /// \param head, bytes the file's content in two parts, copied or written before this returns
  void add(std::string_view name, std::string_view head, std::span<const std::byte> bytes);
  /// The directory, which ends the archive.
  void finish();

 private:
  void write(const std::string& text);

  Sink& sink_;
  std::uint64_t start_;
  std::string directory_;
  std::uint64_t count_ = 0;
};

}  // namespace safestructures::cli
