/// \file
/// ZIP archives, as far as NumPy and PyTorch write them: APPNOTE.TXT 6.3.10, stored or deflated
/// entries, ZIP64, a single disk, no encryption.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/source.hpp>

namespace safestructures::inline v0::zip {

/// A file in an archive.
struct Entry {
  std::string name;
  std::uint64_t begin = 0;   ///< The position of its stored bytes.
  std::uint64_t stored = 0;  ///< The number of stored bytes.
  std::uint64_t size = 0;    ///< The number of bytes after decompression.
  std::uint32_t crc = 0;
  bool is_deflated = false;
};

/// Returns the files of an archive, in the order of its directory; reads nothing but that and the
/// header of each. Their bytes do not overlap; no file claims to be larger than deflate can make
/// it, and all together no larger than `Limits::expansion` allows. So the cost of reading them all
/// is bounded by the size of the archive.
/// \throws Error `invalid_header`, `truncated`, `duplicate_name`, `limit_exceeded`, without a name
[[nodiscard]] std::vector<Entry> read_directory(const Source& archive, const Limits& limits);

/// Returns the content of a file after comparing its checksum; a view if it is not deflated and the
/// archive is in memory or mapped.
/// \throws Error `checksum_mismatch`, `invalid_header`
[[nodiscard]] SharedBytes read_entry(const Source& archive, const Entry& entry);

}  // namespace safestructures::inline v0::zip
