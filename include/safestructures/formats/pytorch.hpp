/// \file
/// Files of `torch.save`: `.pt`, `.pth`, and the `pytorch_model.bin` of older checkpoints.
#pragma once

#include <memory>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0::formats {

/// The format of `torch.save`, for reading only. docs/pytorch.md tells how objects are mapped.
///
/// Its files hold a pickle, a program that Python runs. Here it is read as data: nothing in it is
/// called, whatever it names. Both the ZIP archives of PyTorch 1.6 and later and the files of
/// before are read; tensors are views of the mapped file, or deferred, depending on
/// `LoadOptions::access`.
///
/// A dict of tensors by name, as `module.state_dict()` returns, has its structure derived from the
/// dots in the names, as a plain safetensors file. Anything else keeps the structure that it has in
/// Python; a dict of tensors inside it, such as the `model` of a training checkpoint, is taken
/// apart in the same way where it is loaded as a struct.
///
/// A checkpoint in several files is read by its index, `pytorch_model.bin.index.json`.
///
/// `LoadOptions::verify_checksums` compares the archive's CRC-32 of each part, and is refused for
/// files of before 1.6, which have none. Writing throws Error `invalid_argument`.
[[nodiscard]] SAFESTRUCTURES_API const std::shared_ptr<const Format>& pytorch();

}  // namespace safestructures::inline v0::formats
