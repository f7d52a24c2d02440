/// \file
/// MessagePack: any structure, small and fast, for programs in other languages too.
#pragma once

#include <memory>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::formats {

/// MessagePack (`.msgpack`) that loses nothing a Value holds. None, bool, int, float, str, bytes,
/// list and dict with str or int keys are what they are in MessagePack; everything else is a map
/// whose first member says what it stands for, by the names that JSON has (json.hpp).
/// docs/messagepack.md is the specification. What others wrote is read as those natural values.
///
/// Tensors are their little-endian bytes with dtype and shape. Their place in the file is aligned
/// where they have 256 bytes or more: these are views of the mapped file, or deferred, as
/// `LoadOptions::access` says. There is one file for one structure.
///
/// A file is told by its extension, and by its first bytes where its root is a map with such a
/// first member. Records of Burn (`.mpk`) are another format: burn.hpp.
///
/// `SaveOptions::schema` = false, `checksums` and `shard_size` are refused: Error
/// `invalid_argument`; what is beyond 4 GiB in one value: Error `out_of_range`.
/// `LoadOptions::verify_checksums` is refused as for every file without checksums.
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& messagepack();

}  // namespace safestructures::inline v0::formats
