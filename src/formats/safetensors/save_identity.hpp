/// \file
/// Identifies the files of one sharded save.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <safestructures/formats/safetensors/writer.hpp>

namespace safestructures::inline v0::safetensors::detail {

/// Returns 32 hexadecimal digits of a hash (XXH3, 128 bits) of a checkpoint: its index, its
/// metadata, and samples of its tensors. Equal checkpoints have equal identities, so that equal
/// saves produce equal bytes. Two steps of a training differ in nearly every number, and so in the
/// samples.
///
/// Reads at most 128 elements per tensor, of at most 65,536 evenly spread tensors: hashing
/// everything would mean reading it twice, here and when it is written.
/// \param index the text of the index without the identity
[[nodiscard]] std::string save_identity(std::string_view index, const Metadata& metadata,
                                        std::span<const Item> items);

}  // namespace safestructures::inline v0::safetensors::detail
