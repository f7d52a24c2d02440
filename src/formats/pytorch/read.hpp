/// \file
/// Reads a file of `torch.save` as a structure.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <safestructures/formats/format.hpp>
#include "formats/zip/read.hpp"

namespace safestructures::inline v0::pytorch {

/// Whether a file begins like an archive of PyTorch, or like a file of before 1.6.
[[nodiscard]] bool is_of_pytorch(std::span<const std::byte> head);

/// An open archive.
struct Archive {
  std::string file;
  std::shared_ptr<const Source> source;
  std::vector<zip::Entry> entries;

  /// Compares the checksum of each part. \throws Error `checksum_mismatch`
  void verify() const;
};

/// `Content::container` of what `read` and `read_checkpoint` return for files that have checksums.
using Archives = std::vector<Archive>;

/// Reads one file, without the structure that names or a type suggest. \throws Error
[[nodiscard]] Content read_as_saved(const std::shared_ptr<const Source>& source,
                                    const LoadOptions& options);

/// Derives the structure of a state dict from its names, and of those inside from the type.
void derive_structure(Content& content, const LoadOptions& options);

/// Reads one file. \throws Error
[[nodiscard]] Content read(const std::shared_ptr<const Source>& source, const LoadOptions& options);

/// Reads the state dict that an index and the files next to it hold. \throws Error
[[nodiscard]] Content read_checkpoint(const std::shared_ptr<const Source>& index,
                                      const LoadOptions& options);

}  // namespace safestructures::inline v0::pytorch
