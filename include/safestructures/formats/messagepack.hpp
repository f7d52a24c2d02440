/// \file
/// MessagePack: any structure, small and fast, also for programs in other languages.
#pragma once

#include <memory>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::formats {

/// MessagePack (`.msgpack`) that preserves everything in a Value. None, bool, int, float, str,
/// bytes, list and dict with str or int keys are their MessagePack counterparts; everything else is
/// a map whose first member says what it stands for, with the same names as in JSON (json.hpp).
/// docs/messagepack.md is the specification. Files from other programs are read as those natural
/// values.
///
/// Tensors are stored as little-endian bytes with dtype and shape. Those of 256 bytes or more are
/// aligned in the file: they are views of the mapped file, or deferred, depending on
/// `LoadOptions::access`. Equal structures give equal files.
///
/// A file is recognised by its extension, or by its first bytes if its root is a map with such a
/// first member. Burn's records (`.mpk`) are another format: burn.hpp.
///
/// `SaveOptions::schema` = false, `checksums` and `shard_size` are refused with Error
/// `invalid_argument`, and more than 4 GiB in one value with Error `out_of_range`.
/// `LoadOptions::verify_checksums` is refused as for every file without checksums.
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& messagepack();

}  // namespace safestructures::inline v0::formats
