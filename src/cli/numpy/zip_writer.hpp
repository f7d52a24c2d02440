/// \file
/// Writes ZIP archives, as far as NumPy's `.npz` needs them: APPNOTE.TXT 6.3.10, stored entries,
/// ZIP64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/sink.hpp>

namespace safestructures::cli {

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
