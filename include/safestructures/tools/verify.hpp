/// \file
/// Verifying everything in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0 {

/// The result of `verify_file` for a valid file.
struct VerifyReport {
  /// All tensors in the file, including those that the structure does not refer to.
  std::size_t tensor_count = 0;
  std::uint64_t tensor_bytes = 0;  ///< The stored bytes of all tensors.
  bool has_checksums = false;      ///< Whether there were checksums; they matched.
};

/// Options for verifying files.
struct VerifyOptions {
  /// The format; null: as for loading.
  std::shared_ptr<const Format> format = nullptr;
  /// Bounds on what the file may hold.
  Limits limits = {};
  /// Called from time to time with the bytes of tensors read since the last call, and the total.
  std::function<void(std::uint64_t more, std::uint64_t all)> progress = nullptr;
};

/// Reads and verifies everything in a file: what opening checks; every byte of every tensor; that
/// bools are 0 or 1; that tensors which were converted on saving can be converted back to their
/// dtype; checksums, if any. The file is opened once and read by position, so that a file truncated
/// in the meantime is an Error.
/// \throws Error what is wrong, naming the file and the path or the tensor.
SAFESTRUCTURES_API VerifyReport verify_file(const std::filesystem::path& path,
                                            const VerifyOptions& options = {});

/// Verifies a source of any kind.
SAFESTRUCTURES_API VerifyReport verify_file(const std::shared_ptr<const Source>& source,
                                            const VerifyOptions& options = {});

}  // namespace safestructures::inline v0
