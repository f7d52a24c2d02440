/// \file
/// burnpack: the files of Burn 0.19 and later, `.bpk`.
#pragma once

#include <memory>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::formats {

/// The format in which Burn (the deep-learning framework in Rust) saves modules, and since 0.22
/// optimizers and schedulers. docs/burnpack.md says what becomes of what.
///
/// Both layouts are read: that of 0.19, and the aligned one of 0.20 and later. Tensors are views of
/// the mapped file, or deferred, as `LoadOptions::access` says. A file of names: its structure is
/// that which they spell with dots, as of a plain safetensors file. Ids of parameters are the
/// attribute `burn.id` of their tensors, as Burn spells them.
///
/// What is written, Burn 0.21 and later read. It holds tensors, bool, int and float in dicts,
/// structs, lists and tuples; everything else is refused with its path, and so are
/// `SaveOptions::checksums`, `shard_size` and `TensorNames::numbers`.
/// `LoadOptions::verify_checksums` is refused as for every file without checksums.
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& burnpack();

}  // namespace safestructures::inline v0::formats
