/// \file
/// Checksums of a file's parts, stored in its metadata: they detect damage, not forgery.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/formats/safetensors/reader.hpp>
#include <safestructures/formats/safetensors/writer.hpp>

/// Checksums by XXH3-64 (https://github.com/Cyan4973/xxHash): one for each tensor's bytes as
/// stored, one for the schema with the names, dtypes and shapes of all tensors, and one for each
/// other entry of the metadata. docs/format.md describes the text.
namespace safestructures::inline v0::checksums {

/// The metadata key that holds them.
inline constexpr std::string_view metadata_key = "_safestructures_checksums_";

/// Returns the checksums for a file with these items and this metadata, including the schema;
/// checksums in the metadata are ignored. Reads every element once, and converts those that are
/// stored in another dtype, in blocks of 256 KiB.
/// \throws Error what the conversion refuses; `invalid_utf8` for a name or key that is not UTF-8
[[nodiscard]] SAFESTRUCTURES_API std::string make(std::span<const safetensors::Item> items,
                                                  const Metadata& metadata,
                                                  Overflow overflow = Overflow::error);

/// Compares all bytes of a file with its checksums; returns false if it has none. Metadata may have
/// been added later. Under `Access::read` only one tensor at a time is in memory.
/// \throws Error `checksum_mismatch` that names the damaged tensors, with the first as its path,
/// the metadata, or the key of the checksums; `invalid_metadata` for malformed ones; as
/// `File::tensor`
SAFESTRUCTURES_API bool verify(const safetensors::File& file);

}  // namespace safestructures::inline v0::checksums
