/// \file
/// JSON: for human readers, for debugging, and for data from other programs.
#pragma once

#include <cstdint>
#include <memory>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0 {

/// The forms in which elements of tensors are written. All forms are read.
enum class JsonTensors : std::uint8_t {
  lists,  ///< nested lists of numbers, one row per line
  /// `{"base64": ...}` with the little-endian bytes, four characters for three bytes: faster, and
  /// half the size of lists of floats with all their digits, but larger than lists of short
  /// numbers.
  base64,
};

/// Options for writing JSON.
struct JsonOptions {
  JsonTensors tensors = JsonTensors::lists;  ///< The form of tensor elements.
  /// Spaces per level, at most 16; 0: everything on one line, without spaces.
  unsigned indent = 2;
};

namespace formats {

/// JSON (RFC 8259) that preserves everything in a Value. None, bool, int, finite float, str, list
/// and dict with str keys are their JSON counterparts; everything else is an object whose first
/// member says what it stands for, such as `{"$tensor": "F32", "shape": [2], "data": [1, 2]}`.
/// docs/json.md is the specification. JSON from other programs is read as those natural values.
///
/// Tensors are restored bit for bit, including NaNs. Reading takes memory proportional to the text,
/// whatever it announces; writing goes to the sink in pieces.
///
/// Equal structures give equal text. `SaveOptions::schema` = false, `checksums` and `shard_size`
/// are refused with Error `invalid_argument`. `LoadOptions::verify_checksums` is refused as for
/// every file without checksums; `access` decides whether the text is mapped or read.
/// \throws Error `invalid_argument` for an indent above 16
[[nodiscard]] SAFESTRUCTURES_API std::shared_ptr<const Format> json(JsonOptions options = {});

}  // namespace formats
}  // namespace safestructures::inline v0
