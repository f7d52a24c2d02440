/// \file
/// Reads a file of `torch.save` as a structure.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <safestructures/formats/format.hpp>
#include "formats/zip/read.hpp"

namespace safestructures::inline v0::pytorch {

/// Whether a file begins like an archive of PyTorch, or like a file of before 1.6.
[[nodiscard]] bool is_of_pytorch(std::span<const std::byte> head);

/// An open archive: `Content::container` of what `read` returns for one.
struct Archive {
  std::shared_ptr<const Source> source;
  std::vector<zip::Entry> entries;

  /// Compares the checksum of each part. \throws Error `checksum_mismatch`
  void verify() const;
};

/// \throws Error
[[nodiscard]] Content read(const std::shared_ptr<const Source>& source, const LoadOptions& options);

}  // namespace safestructures::inline v0::pytorch
