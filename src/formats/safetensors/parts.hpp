/// \file
/// The files that a File consists of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/formats/safetensors/reader.hpp>

#include "formats/safetensors/table.hpp"
namespace safestructures::inline v0::safetensors::detail {

/// One file, or bytes in memory.
struct Part {
  std::filesystem::path path;            ///< Empty for bytes in memory.
  std::shared_ptr<const Source> source;  ///< Of tensors that are read when used; else null.
  Table table;
  std::uint64_t data_offset;          ///< The offset of the data section in the file.
  const std::byte* data = nullptr;    ///< The data section, if it is in memory.
  std::shared_ptr<const void> owner;  ///< Keeps `data` alive.
  std::size_t first = 0;              ///< The index of its first tensor among all.
};

/// Opens one safetensors file. \throws Error with the source's name
Part open_part(const std::shared_ptr<const Source>& source, const OpenOptions& options);

/// The content of an index, and the files it names.
struct Checkpoint {
  std::vector<Part> parts;  ///< Sorted by name.
  NameIndex index;          ///< The names of all tensors.
};

/// What an index says without its files.
struct IndexContent {
  std::vector<std::string> files;  ///< Sorted by name.
  bool has_save = false;           ///< Whether it has the identity of a save, as `save_key`.
  /// The tensors by name, each with the number of its file, in the order of the index.
  std::vector<std::pair<std::string, std::size_t>> tensors;
};

/// Reads an index. \throws Error without a file name
IndexContent read_index(const Source& source, const Limits& limits);

/// Opens all files that an index names, and checks index and files against each other.
/// \throws Error with the index or the file
Checkpoint open_checkpoint(const std::shared_ptr<const Source>& source, const OpenOptions& options);

/// Returns the part that holds the tensor at `index`.
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

/// Returns the name of the tensor at `index` among all.
inline std::string_view name_of_tensor(const std::vector<Part>& parts, std::size_t index) noexcept {
  const Part& part = part_of(parts, index);
  return part.table.name(index - part.first);
}

/// Numbers the tensors of all parts and indexes their names. \throws Error `duplicate_name`
NameIndex index_parts(std::vector<Part>& parts);

/// Adds a part to a checkpoint whose index of names has room for `most` tensors. Stops early if the
/// same file is listed under many names, or files hold more tensors than the index says.
/// \returns false if there are more tensors. \throws Error `duplicate_name`
bool add_part(Checkpoint& checkpoint, Part part, std::size_t most);

}  // namespace safestructures::inline v0::safetensors::detail
