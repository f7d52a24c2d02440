/// \file
/// JSON: for reading by eye, for debugging, and for data that others wrote as JSON.
#pragma once

#include <cstdint>
#include <memory>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0 {

/// How the elements of tensors are written. All are read.
enum class JsonTensors : std::uint8_t {
  lists,  ///< nested lists of numbers, a row on each line
  /// `{"base64": ...}` of the little-endian bytes, four characters for three: half the size of
  /// lists of floats with all their digits, more than that of short numbers; and faster.
  base64,
};

/// How JSON is written.
struct JsonOptions {
  JsonTensors tensors = JsonTensors::lists;  ///< How the elements of tensors are written.
  /// Blanks for each level, at most 16; 0: everything on one line, without any blank.
  unsigned indent = 2;
};

namespace formats {

/// JSON (RFC 8259) that loses nothing a Value holds. None, bool, int, finite float, str, list and
/// dict with str keys are what they are in JSON; everything else is an object whose first member
/// says what it stands for, such as `{"$tensor": "F32", "shape": [2], "data": [1, 2]}`.
/// docs/json.md is the specification. JSON that others wrote is read as those natural values.
///
/// Tensors are bit for bit what was saved, NaNs included. Reading takes memory in proportion to the
/// text, whatever it announces; writing goes to the sink in pieces.
///
/// There is one text for one structure. `SaveOptions::schema` = false, `checksums` and `shard_size`
/// are refused: Error `invalid_argument`. `LoadOptions::verify_checksums` is refused as for every
/// file without checksums; `access` decides whether the text is mapped or read.
/// \throws Error `invalid_argument` for an indent above 16
[[nodiscard]] SAFESTRUCTURES_API std::shared_ptr<const Format> json(JsonOptions options = {});

}  // namespace formats
}  // namespace safestructures::inline v0
