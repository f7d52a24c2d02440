/// \file
/// Records of Burn, the deep learning framework in Rust: the files of its recorders.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0 {

/// Records of Burn: how they are written. burn/burn.hpp adds Burn's recorders and the types that
/// its modules and optimizers save.
namespace burn {

/// The encoding of a record.
enum class Encoding : std::uint8_t {
  messagepack,  ///< named MessagePack, structs as maps: `.mpk`
  bincode,      ///< bincode 2, without names: `.bin`; read and written through the C++ type
  json,         ///< on one line; the content of `.json.gz`
  pretty_json,  ///< indented by two spaces per level: `.json`
};

/// The dtypes in which a record's tensors are stored, by Burn's names for these pairs.
enum class Settings : std::uint8_t {
  double_precision,  ///< F64 and I64: `DoublePrecisionSettings`
  full_precision,    ///< F32 and I32: `FullPrecisionSettings`
  half_precision,    ///< F16 and I16: `HalfPrecisionSettings`
};

/// The form in which tensors are written, and in bincode read, if they do not say whether they are
/// parameters.
enum class Tensors : std::uint8_t {
  params,  ///< a `Param`, like all tensors of modules, with an id derived from its path
  bare,    ///< the tensor alone, as in the state of an optimizer
};

/// Options for writing records, and for the tensors of bincode.
struct Options {
  /// The encoding for writing; all encodings are read.
  Encoding encoding = Encoding::messagepack;
  /// The dtypes of stored tensors. If empty, `SaveOptions::precision` applies to floats, and
  /// integers keep their dtype.
  std::optional<Settings> settings = std::nullopt;
  /// The version of Burn that is to read the file, `0.13` to `0.21`. If empty, the one in the
  /// metadata (`burn.version`, when converting a file), otherwise the newest.
  std::string burn_version = {};
  /// The form of tensors that are neither a `Param` nor a `Bare`.
  Tensors tensors = Tensors::params;
  /// The name of the recorder in the metadata, with its module: `file::NamedMpkFileRecorder`. If
  /// empty, the one of the encoding.
  std::string recorder = {};
};

}  // namespace burn

namespace formats {

/// The records of Burn, tested with files of 0.13 to 0.21. All encodings and versions are read,
/// whatever `options` say. The options are for writing, except for `tensors`, which also applies to
/// reading bincode, because that does not tell what a tensor is.
///
/// A record is read as the structure of its item: modules are dicts by field name, constants are
/// None. A `Param` is its tensor, whose attribute `burn.id` is the id; for a tensor that is not a
/// parameter it is None. A record's metadata becomes that of the file, as `burn.float`, `burn.int`,
/// `burn.format`, `burn.version` and `burn.settings`. See docs/burn.md.
///
/// bincode does not describe itself: it is read by `load_file<T>` and written by `save_file` of a
/// T, but neither as a Value. Refused with Error `invalid_argument` are `SaveOptions::schema` =
/// false, `checksums`, `shard_size`, `tensor_names` = numbers, `extra_tensors`, metadata with other
/// names, and, unless `extensions` is false, attributes other than `burn.id`. Metadata about the
/// file it came from is dropped: `format` of safetensors, and burnpack's own.
[[nodiscard]] SAFESTRUCTURES_API std::shared_ptr<const Format> burn(
    safestructures::burn::Options options = {});

}  // namespace formats
}  // namespace safestructures::inline v0
