/// \file
/// The files that a File consists of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <safestructures/formats/safetensors/reader.hpp>

#include "formats/safetensors/table.hpp"
#include "platform/file.hpp"

namespace safestructures::safetensors::detail {

/// One file, or bytes in memory.
struct Part {
  std::filesystem::path path;               ///< Empty for bytes in memory.
  std::optional<platform::InputFile> file;  ///< Where tensors are read when asked for.
  Table table;
  std::uint64_t data_offset;          ///< Where the data section begins in the file.
  const std::byte* data = nullptr;    ///< The data section, where it is in memory.
  std::shared_ptr<const void> owner;  ///< Keeps `data` alive.
  std::size_t first = 0;              ///< Index of its first tensor among all.
};

/// Opens one safetensors file. \throws Error with the file
Part open_part(const std::filesystem::path& path, const OpenOptions& options);

/// \throws Error as `File::from_bytes`
Part part_of_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                   const Limits& limits);

/// What an index says, and the files it names.
struct Checkpoint {
  std::vector<Part> parts;  ///< By name.
  NameIndex index;          ///< Of all tensors.
};

/// Opens all files that an index names and checks them against it, both ways.
/// \throws Error with the index or the file
Checkpoint open_checkpoint(const std::filesystem::path& path, const OpenOptions& options);

/// The part that holds the tensor at `index`.
inline const Part& part_of(const std::vector<Part>& parts, std::size_t index) noexcept {
  std::size_t low = 0;
  std::size_t high = parts.size();
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    if (parts[middle].first <= index) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return parts[low];
}

/// Numbers the tensors of all parts and indexes their names.
/// \throws Error `duplicate_name`, `limit_exceeded`
NameIndex index_parts(std::vector<Part>& parts, const Limits& limits);

}  // namespace safestructures::safetensors::detail
