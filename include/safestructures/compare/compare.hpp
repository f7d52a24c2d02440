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
/// are close, everything else is compared exactly. Sets have no order; the order of dicts, type
/// names of structs and tensors, and attributes do not count. Entries of dicts are the same whose
/// keys have the same text, as 1 and "1"; in a dict that has both, 1 is `1~int`.
/// \throws Error what deferred tensors' sources throw; `invalid_argument` for options that cannot
/// be
[[nodiscard]] SAFESTRUCTURES_API Comparison compare(const Value& a, const Value& b,
                                                    const CompareOptions& options = {});

/// The same for a structure and an open file, with the tensors that its structure does not refer
/// to.
[[nodiscard]] SAFESTRUCTURES_API Comparison compare(const Value& a, const Document& b,
                                                    const CompareOptions& options = {});

/// The same for open files, with the tensors that their structures do not refer to.
[[nodiscard]] SAFESTRUCTURES_API Comparison compare(const Document& a, const Document& b,
                                                    const CompareOptions& options = {});

/// Compares records by name, step and call, in the order of the first recording's calls. Where a
/// name was called another number of times in a step, or its calls have other numbers, these are
/// aligned in their order so that as many as can be have the same shapes: `RecordPlace::match`.
[[nodiscard]] SAFESTRUCTURES_API Comparison compare(const Recording& a, const Recording& b,
                                                    const CompareOptions& options = {});

/// Compares two files of any format, or the folders of two recordings. Tensors are read block by
/// block: they may be larger than the memory.
/// \throws Error what is wrong with a file, naming it; `invalid_argument` for a file beside a
/// recording
[[nodiscard]] SAFESTRUCTURES_API Comparison compare_files(const std::filesystem::path& a,
                                                          const std::filesystem::path& b,
                                                          const CompareOptions& options = {});

}  // namespace safestructures::inline v0
