/// \file
/// The schema: a Value as JSON text that accompanies the tensors of a safetensors file, as Python's
/// package `safestructures` 1.0.0 writes and reads it. docs/format.md is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/formats/safetensors/writer.hpp>

namespace safestructures::inline v0 {

/// The schema's keys, and its reader and writer.
namespace schema {

/// The metadata key that holds the text.
inline constexpr std::string_view metadata_key = "_safestructures_schema_";
/// The metadata key that holds its version.
inline constexpr std::string_view version_key = "_safestructures_schema_version_";
/// The only version.
inline constexpr std::string_view version = "1.0.0";
/// The tensor in a file whose structure has none: safetensors requires at least one.
inline constexpr std::string_view dummy_tensor = "null";

/// A structure ready for a container: its text, and its tensors in order of occurrence.
class SAFESTRUCTURES_API Written {
 public:
  std::string text;  ///< ASCII, formatted like Python's `json.dumps`.
  /// The tensors of the Value that was written, each with its dtype in the file and its name, which
  /// is valid as long as this object.
  std::vector<safetensors::Item> tensors;
  /// The size in bytes of all repeated references to tensors; see `Limits::repeats`.
  std::uint64_t repeated = 0;

  /// Returns a copy of a name that lives as long as this object.
  std::string_view keep(std::string_view name);

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* room_ = nullptr;
  std::size_t left_ = 0;
};

/// Returns the text and the tensors of a structure, which must outlive the result. Of the options,
/// only those on precision, names, extensions and limits are used.
/// \throws Error `invalid_utf8` for a string that is not UTF-8 (WTF-8 surrogates are allowed),
/// `limit_exceeded`
[[nodiscard]] SAFESTRUCTURES_API Written write(const Value& root, const SaveOptions& options = {});

/// Returns the tensor with that name in the file, or nothing. May be called for a name more often
/// than the schema contains it.
using TensorLookup = std::function<std::optional<Tensor>(std::string_view name)>;

/// Returns the structure that a text describes, with tensors from `tensors` in their stored dtype.
/// \throws Error `invalid_schema`, `missing_tensor`, `duplicate_name`, `limit_exceeded`,
/// `out_of_range`, each with the path
[[nodiscard]] SAFESTRUCTURES_API Value read(std::string_view text, const TensorLookup& tensors,
                                            const Limits& limits = {});

}  // namespace schema
}  // namespace safestructures::inline v0
