/// \file
/// ZIP archives, as far as NumPy's `.npz` needs them: APPNOTE.TXT 6.3.10, stored or deflated
/// entries, ZIP64, a single disk, no encryption.
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
  std::uint64_t begin = 0;   ///< The position of its stored bytes.
  std::uint64_t stored = 0;  ///< The number of stored bytes.
  std::uint64_t size = 0;    ///< The number of bytes after decompression.
  std::uint32_t crc = 0;
  std::uint16_t method = 0;
};

/// Returns the files of an archive, in the order of its directory. Their bytes do not overlap; no
/// file claims to be larger than deflate can make it, and all together no larger than
/// `Limits::expansion` allows. So the cost of reading them all is bounded by the size of the
/// archive.
/// \throws Error `invalid_header`, `truncated`, `duplicate_name`, `limit_exceeded`, without a name
std::vector<ZipEntry> read_directory(std::span<const std::byte> archive, const Limits& limits);

/// Returns the bytes of a file after comparing its checksum; stored files are views of the archive.
/// \throws Error `checksum_mismatch`, `invalid_header`
SharedBytes read_entry(const SharedBytes& archive, const ZipEntry& entry);

/// Writes an archive of stored files into a sink, with ZIP64 records throughout; an archive without
/// files is only the plain end record.
class ZipWriter {
 public:
  explicit ZipWriter(Sink& sink) : sink_(sink), start_(sink.position()) {}

  /// Adds a file. \param head, bytes the file's content in two parts, copied or written before this
  /// returns
  void add(std::string_view name, std::string_view head, std::span<const std::byte> bytes);
  /// Writes the directory, which ends the archive.
  void finish();

 private:
  void write(const std::string& text);

  Sink& sink_;
  std::uint64_t start_;
  std::string directory_;
  std::uint64_t count_ = 0;
};

}  // namespace safestructures::cli
