/// \file
/// burnpack: the file format of Burn 0.19 and later, `.bpk`.
#pragma once

#include <memory>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::formats {

/// The format in which Burn (the deep learning framework in Rust) saves modules, and since 0.22
/// optimizers and schedulers. docs/burnpack.md tells how values are mapped.
///
/// Both layouts are read: that of 0.19, and the aligned one of 0.20 and later. Tensors are views of
/// the mapped file, or deferred, depending on `LoadOptions::access`. A file only has names; its
/// structure is derived from the dots in them, as for a plain safetensors file. Parameter ids
/// become the attribute `burn.id` of their tensors, as Burn writes them.
///
/// Burn 0.21 and later read the files that are written. They hold tensors, bool, int and float in
/// dicts, structs, lists and tuples. None is left out as a field of a struct, and anywhere in a
/// converted record; everything else is refused with its path, and so are
/// `SaveOptions::checksums`, `shard_size` and `TensorNames::numbers`.
/// `LoadOptions::verify_checksums` is refused as for every file without checksums.
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& burnpack();

}  // namespace safestructures::inline v0::formats
