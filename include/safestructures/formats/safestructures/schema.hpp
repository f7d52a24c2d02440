/// \file
/// The schema: a Value as JSON text beside the tensors of a safetensors file, as Python's package
/// `safestructures` 1.0.0 writes and reads it. docs/format.md is the specification.
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

/// The schema's names and texts.
namespace schema {

/// The metadata key that holds the text.
inline constexpr std::string_view metadata_key = "_safestructures_schema_";
/// The metadata key that holds its version.
inline constexpr std::string_view version_key = "_safestructures_schema_version_";
/// The one version there is.
inline constexpr std::string_view version = "1.0.0";
/// The tensor that stands in a file whose structure has none: safetensors wants at least one.
inline constexpr std::string_view dummy_tensor = "null";

/// A structure ready for a container: its text, and its tensors in the order they were met.
class SAFESTRUCTURES_API Written {
 public:
  std::string text;  ///< ASCII, spelled as Python's `json.dumps` spells it.
  /// Each with its name, which is valid as long as this, and the dtype in the file; the tensors are
  /// those of the Value that was written.
  std::vector<safetensors::Item> tensors;
  /// How many bytes of the file's tensors the text names once more; see `Limits::repeats`.
  std::uint64_t repeated = 0;

  /// A copy of a name that lives as long as this.
  std::string_view keep(std::string_view name);

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* room_ = nullptr;
  std::size_t left_ = 0;
};

/// The text and the tensors of a structure, which must outlive what is returned.
/// Of the options, those on precision, names, extensions and limits concern it.
/// \throws Error `invalid_utf8` for a string that is not (WTF-8 surrogates are), `limit_exceeded`.
[[nodiscard]] SAFESTRUCTURES_API Written write(const Value& root, const SaveOptions& options = {});

/// Gives the tensor of a name in the file, or nothing. May be asked for a name more often than the
/// schema has it.
using TensorLookup = std::function<std::optional<Tensor>(std::string_view name)>;

/// The structure that a text describes, with tensors from `tensors` in their stored dtype.
/// \throws Error `invalid_schema`, `missing_tensor`, `duplicate_name`, `limit_exceeded`,
/// `out_of_range`, each with the path.
[[nodiscard]] SAFESTRUCTURES_API Value read(std::string_view text, const TensorLookup& tensors,
                                            const Limits& limits = {});

}  // namespace schema
}  // namespace safestructures::inline v0
