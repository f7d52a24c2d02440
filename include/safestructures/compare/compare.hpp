/// \file
/// Comparing structures, files and recordings.
///
///     const Comparison found = compare_files("python.safetensors", "cpp.safetensors");
///     if (!found.is_equal()) found.write_text(std::cerr);
///
/// docs/compare.md says what is compared, and how.
#pragma once

#include <filesystem>

#include <safestructures/compare/comparison.hpp>
#include <safestructures/compare/options.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/document.hpp>

namespace safestructures::inline v0 {

/// Compares two structures path by path; the second is the reference. Numbers within a tolerance
/// are close, everything else is compared exactly. Sets are unordered. The order of dicts, the type
/// names of structs and tensors, and attributes are ignored. Dict entries match if their keys have
/// the same text, such as 1 and "1"; in a dict that has both, 1 is `1~int`.
/// \throws Error whatever the sources of deferred tensors throw; `invalid_argument` for invalid
/// options
[[nodiscard]] SAFESTRUCTURES_API Comparison compare(const Value& a, const Value& b,
                                                    const CompareOptions& options = {});

/// Compares a structure with an open file, either of which may be the reference, including tensors
/// that the file's structure does not refer to.
/// @{
[[nodiscard]] SAFESTRUCTURES_API Comparison compare(const Value& a, const Document& b,
                                                    const CompareOptions& options = {});
[[nodiscard]] SAFESTRUCTURES_API Comparison compare(const Document& a, const Value& b,
                                                    const CompareOptions& options = {});
/// @}

/// Compares two open files, including tensors that their structures do not refer to.
[[nodiscard]] SAFESTRUCTURES_API Comparison compare(const Document& a, const Document& b,
                                                    const CompareOptions& options = {});

/// Compares records by name, step and call, in the order of the first recording's calls. If a name
/// has a different number of calls in a step, or calls with different numbers, its calls are
/// aligned in order so that as many as possible have the same shapes: see `RecordPlace::match`.
[[nodiscard]] SAFESTRUCTURES_API Comparison compare(const Recording& a, const Recording& b,
                                                    const CompareOptions& options = {});

/// Compares two files of any format, or the folders of two recordings. Tensors are read block by
/// block and may be larger than memory.
/// \throws Error what is wrong with a file, naming it; `invalid_argument` for a file and a
/// recording
[[nodiscard]] SAFESTRUCTURES_API Comparison compare_files(const std::filesystem::path& a,
                                                          const std::filesystem::path& b,
                                                          const CompareOptions& options = {});

}  // namespace safestructures::inline v0
