/// \file
/// Records of Burn, the deep learning framework in Rust: what its recorders write and read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <safestructures/data/export.hpp>
#include <safestructures/formats/format.hpp>

namespace safestructures::inline v0 {

/// Records of Burn: how they are written; and, by burn/burn.hpp, Burn's recorders and what its
/// modules and optimizers save.
namespace burn {

/// How a record is spelled.
enum class Encoding : std::uint8_t {
  messagepack,  ///< named MessagePack, structs as maps: `.mpk`
  bincode,      ///< bincode 2, without names: `.bin`; read and written through the C++ type
  json,         ///< on one line: inside of `.json.gz`
  pretty_json,  ///< with two blanks for each level: `.json`
};

/// The dtypes in which the tensors of a record are stored, by Burn's names for their pairs.
enum class Settings : std::uint8_t {
  double_precision,  ///< F64 and I64: `DoublePrecisionSettings`
  full_precision,    ///< F32 and I32: `FullPrecisionSettings`
  half_precision,    ///< F16 and I16: `HalfPrecisionSettings`
};

/// What a tensor becomes, and in bincode was, that does not say whether it is a parameter.
enum class Tensors : std::uint8_t {
  params,  ///< a `Param`, as all tensors of modules are, under an id made of its place
  bare,    ///< the tensor alone, as in the state of an optimizer
};

/// How records are written, and of bincode, what its tensors are.
struct Options {
  /// How records are written; all spellings are read.
  Encoding encoding = Encoding::messagepack;
  /// The dtypes of stored tensors. Without them, floats are as `SaveOptions::precision` says, and
  /// integers as they are.
  std::optional<Settings> settings = std::nullopt;
  /// The version of Burn that is to read the file, `0.13` to `0.21`. Empty: the one that the
  /// metadata names (`burn.version`, of a file that is converted), or else the newest.
  std::string burn_version = {};
  /// What a tensor is that is neither a `Param` nor a `Bare`.
  Tensors tensors = Tensors::params;
  /// The name of the recorder in the metadata, with its module: `file::NamedMpkFileRecorder`.
  /// Empty: the one of the encoding.
  std::string recorder = {};
};

}  // namespace burn

namespace formats {

/// The records of Burn, tested with files of 0.13 to 0.21. All encodings and versions are read,
/// whatever `options` say; these are for writing, but for `tensors`, by which bincode is read too:
/// it does not say what a tensor is.
///
/// A record is the structure that its item is: modules are dicts by field name, constants None. A
/// `Param` is its tensor, whose attribute `burn.id` is the id; a tensor that is no parameter has
/// None there. The metadata of a record are those of the file, under `burn.float`, `burn.int`,
/// `burn.format`, `burn.version` and `burn.settings`. docs/burn.md tells more.
///
/// bincode says nothing about itself: it is read by `load_file<T>` and written by `save_file` of a
/// T, and as a Value neither. `SaveOptions::schema` = false, `checksums`, `shard_size`,
/// `tensor_names` = numbers, `extra_tensors`, metadata of other names, and attributes of values but
/// for `burn.id`, unless `extensions` are left out, are refused: Error `invalid_argument`. Left out
/// are those metadata that tell of another file: `format` of safetensors, and what burnpack says of
/// its own.
[[nodiscard]] SAFESTRUCTURES_API std::shared_ptr<const Format> burn(
    safestructures::burn::Options options = {});

}  // namespace formats
}  // namespace safestructures::inline v0
