/// \file
/// The schema: a Value as JSON text beside the tensors of a safetensors file, as Python's package
/// `safestructures` 1.0.0 writes and reads it. docs/format.md is the specification.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures {

/// In which precision floating tensors are stored. Integers and booleans are stored as they are.
enum class Precision : std::uint8_t {
  f32,       ///< all as F32, as Python's package stores what comes from torch, TensorFlow and JAX
  preserve,  ///< each in its own dtype
  f16,       ///< all as F16
  bf16,      ///< all as BF16
  f64,       ///< all as F64
};

/// How tensors are named in the file.
enum class TensorNames : std::uint8_t {
  paths,    ///< by their place in the structure: `layers.0.weight`, as a state dict
  numbers,  ///< `0`, `1`, ... in the order they are met, as Python's package names them
};

/// The schema's names and texts.
namespace schema {

inline constexpr std::string_view metadata_key = "_safestructures_schema_";
inline constexpr std::string_view version_key = "_safestructures_schema_version_";
/// The one version there is.
inline constexpr std::string_view version = "1.0.0";
/// The tensor that stands in a file whose structure has none: safetensors wants at least one.
inline constexpr std::string_view dummy_tensor = "null";

struct WriteOptions {
  Precision precision = Precision::f32;
  TensorNames names = TensorNames::paths;
  /// Whether fields are written that Python's package does not know: C++ class names and versions,
  /// original dtypes, tags of variants.
  bool extensions = true;
  Limits limits = {};
};

/// A tensor to be stored.
struct StoredTensor {
  std::string name;
  const Tensor* tensor;  ///< Points into the Value that was written.
  DType dtype;           ///< The dtype in the file.
};

/// A structure ready for a container: its text, and its tensors in the order they were met.
struct Written {
  std::string text;  ///< ASCII, spelled as Python's `json.dumps` spells it.
  std::vector<StoredTensor> tensors;
};

/// \throws Error `invalid_utf8` for a string that is not (WTF-8 surrogates are), `limit_exceeded`.
[[nodiscard]] SAFESTRUCTURES_API Written write(const Value& root, const WriteOptions& options = {});

/// Gives the tensor of a name in the file, or nothing. May be asked for a name more often than the
/// schema has it.
using TensorLookup = std::function<std::optional<Tensor>(std::string_view name)>;

/// \throws Error `invalid_schema`, `missing_tensor`, `duplicate_name`, `limit_exceeded`,
/// `out_of_range`, each with the path.
[[nodiscard]] SAFESTRUCTURES_API Value read(std::string_view text, const TensorLookup& tensors,
                                            const Limits& limits = {});

}  // namespace schema
}  // namespace safestructures
