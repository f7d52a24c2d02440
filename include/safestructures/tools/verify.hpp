/// \file
/// Checking everything in a file.
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

/// What `verify_file` found in a file that is in order.
struct VerifyReport {
  std::size_t tensor_count = 0;    ///< Tensors in the file, those beside the structure included.
  std::uint64_t tensor_bytes = 0;  ///< Bytes of all tensors, as they are stored.
  bool has_checksums = false;      ///< Then they matched.
};

/// How files are checked.
struct VerifyOptions {
  /// The format; null: as for loading.
  std::shared_ptr<const Format> format = nullptr;
  /// What the file may cost.
  Limits limits = {};
  /// Called now and then with the bytes of tensors that were read since the last call, and all
  /// there are.
  std::function<void(std::uint64_t more, std::uint64_t all)> progress = nullptr;
};

/// Reads and checks everything in a file: what opening checks; every byte of every tensor; that
/// bools are 0 or 1; that tensors which were converted on saving can be given their dtype back;
/// checksums, where there are some. The file is opened once and read by position, so that one that
/// is cut short meanwhile is an Error.
/// \throws Error what is wrong, naming the file and the path or the tensor.
SAFESTRUCTURES_API VerifyReport verify_file(const std::filesystem::path& path,
                                            const VerifyOptions& options = {});

/// The same of a source of any kind.
SAFESTRUCTURES_API VerifyReport verify_file(const std::shared_ptr<const Source>& source,
                                            const VerifyOptions& options = {});

}  // namespace safestructures::inline v0
