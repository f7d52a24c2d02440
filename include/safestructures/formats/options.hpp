/// \file
/// Options for saving and loading, and the report of saving.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <safestructures/data/convert.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/precision.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0 {

class Format;
struct TypeInfo;

/// Named texts that are stored with a file. A plain `std::map<std::string, std::string>` converts
/// to it.
struct Metadata : std::map<std::string, std::string, std::less<>> {
  using map::map;
  /// Makes empty metadata.
  Metadata() = default;
  /// Copies these texts.
  Metadata(const std::map<std::string, std::string>& texts) : map(texts.begin(), texts.end()) {}
};

/// How the bytes of tensors get into memory. The content of gzip files is unpacked into memory on
/// opening in any case; for them this is how the compressed bytes are read.
enum class Access : std::uint8_t {
  /// The file is mapped: opening reads only the header, tensors are views, and the system reads the
  /// pages that are touched. If another program truncates the file meanwhile (rather than replacing
  /// it, as this library does), touching the lost pages crashes the process.
  map,
  /// Every tensor is deferred: it is read when it is used, and nothing else is. For network file
  /// systems, or where a truncated file must be an Error.
  read,
  /// Everything is read on opening, into one block of memory: fastest if all of it is needed.
  memory,
};

/// How tensors are named in the file.
enum class TensorNames : std::uint8_t {
  paths,    ///< by their path in the structure: `layers.0.weight`, as in a state dict
  numbers,  ///< `0`, `1`, ... in the order in which they occur, as in Python's package
};

/// Options for saving objects. A format that does not support an option throws Error
/// `invalid_argument`.
struct SaveOptions {
  /// The format; if null, the one of the file's extension, or `formats::safestructures`.
  std::shared_ptr<const Format> format = nullptr;
  /// Named texts, stored with the structure; every safetensors tool shows them. Names that the
  /// format itself uses are refused.
  Metadata metadata = {};
  /// The precision in which tensors are stored. The original dtype is noted in the file, and
  /// loading restores it. There is no place for this note without `schema` or `extensions`: a plain
  /// state dict of BF16 needs `Precision::preserve`.
  Precision precision = Precision::f32;
  /// How to name tensors that have no name yet: see `Value::set_tensor_name`.
  TensorNames tensor_names = TensorNames::paths;
  /// Whether the file describes the structure. Otherwise only tensors can be saved: a plain state
  /// dict, as other safetensors tools write it. Its names are all that is left of the structure, so
  /// each tensor is named by its place, `layers.0.weight`, whatever `Value::tensor_name` it has
  /// from where it was loaded; one at two places is stored twice.
  bool schema = true;
  /// Whether to write fields that Python's package does not know: C++ class names and versions,
  /// original dtypes, tags of variants. Python ignores them. Without them (and with
  /// `TensorNames::numbers`) the schema is the same text that Python writes for the structure, and
  /// their information is lost.
  bool extensions = true;
  /// Whether every vector of plain numeric structs is stored as columns (one tensor per field
  /// instead of a list), not only those whose rules ask for it; see codecs/columns.hpp. Vectors
  /// that contain a type for which the registry has a codec stay lists. A Value, and what `convert`
  /// saves, already has its lists and columns and is saved as it is.
  bool columns = false;
  /// Types that are found at run time; must outlive the call.
  const Registry* registry = nullptr;
  /// How to handle numbers that the stored dtype cannot hold.
  Overflow overflow = Overflow::error;
  /// Whether to refuse conversions that do not restore the same bits when converted back, such as
  /// 1/3 in double precision stored as F32. \throws Error `lossy_conversion` when saving
  bool lossless = false;
  /// Whether to refuse what `SaveReport::conversions` would report, but not rounding: numbers that
  /// became zero, saturated or infinite, integers that were rounded, NaNs that lost bits.
  /// \throws Error `lossy_conversion` when saving
  bool refuse_range_losses = false;
  /// Whether to store checksums in the metadata, where other tools ignore them: an XXH3-64 for each
  /// tensor, one for the schema and one for each other metadata text. Every element is read, and if
  /// necessary converted, a second time. They detect damage, not forgery.
  bool checksums = false;
  /// Whether the file survives a power failure after the call has returned. Has no effect for
  /// streams and memory.
  bool durable = false;
  /// The maximum number of threads for saving. 0 chooses: as many as help, at most 16, at most as
  /// many processors as the CPU affinity allows, and more than two only as far as the cgroup quota
  /// allows. The file is the same for any number.
  /// Only conversion and reordering of elements on their way into a file, and gzip compression, run
  /// in parallel. The calling thread does everything else: plain writes (the system locks the file
  /// anyway), all output to streams and memory, checksums, and calls of codecs. The default format
  /// converts neighbouring tensors together, others convert one tensor at a time.
  unsigned threads = 0;
  /// The largest number of tensor bytes in one file. What fits is a single file, unless the path
  /// names an index; beyond it, the structure is split as by Hugging Face, for `m.safetensors` into
  /// `m-00001-of-00002.safetensors` and so on, with the index `m.safetensors.index.json`, by which
  /// it is loaded. 0: one file of any size.
  ///
  /// Such a save takes the place of the earlier one at its path, whichever kind that was: once it
  /// is complete, shards remove `m.safetensors` and the shards that the index named before, and a
  /// file `m.safetensors` removes the index and its shards, if this library saved them. Without a
  /// size, a save replaces the file at its path and nothing else.
  std::uint64_t shard_size = 0;
  /// Extra tensors (not part of the structure) by name, stored in their own dtype.
  /// \throws Error `duplicate_name` when saving, for a name that the structure uses
  std::map<std::string, Tensor, std::less<>> extra_tensors = {};
  /// The C++ type that a Value, or what `convert_file` saves, stands for: `&type_info<Model>`, for
  /// formats whose files do not describe themselves. An object of another type has its own, and a
  /// different one here is refused.
  const TypeInfo& (*type)() = nullptr;
  /// The limits that a reader of the file will apply.
  Limits limits = {};
};

/// Options for loading files.
struct LoadOptions {
  /// The format; if null, the one that the content shows, otherwise the one of the extension.
  std::shared_ptr<const Format> format = nullptr;
  /// How tensors get into memory. `Access::map` copies nothing.
  Access access = Access::map;
  /// Types that are found at run time; must outlive what is loaded through it.
  const Registry* registry = nullptr;
  /// How to handle numbers that the target type cannot hold.
  Overflow overflow = Overflow::error;
  /// Whether to refuse structure fields that the target struct does not have, instead of ignoring
  /// them.
  bool refuse_unknown_fields = false;
  /// The maximum number of threads for loading, as `SaveOptions::threads`; the result is the same
  /// for any number. Reading and copying tensors of at least 32 MiB, and converting or reordering
  /// those of at least 8 MiB, run in parallel; for a Value, this applies to all its tensors
  /// together. One thread fills a vector with converted elements, unpacks gzip and compares
  /// checksums. Deferred tensors that are used after the call do not obey this limit.
  unsigned threads = 0;
  /// Whether to read all bytes on opening and compare them with the file's checksums, which must
  /// exist. \throws Error `checksum_mismatch`; see formats/safestructures/checksums.hpp
  bool verify_checksums = false;
  /// The C++ type of the whole content, for opening files that do not describe themselves:
  /// `&type_info<Model>`. `load_file<T>` and `load<T>` set it to T, and refuse a different one.
  const TypeInfo& (*type)() = nullptr;
  /// Limits on what the file may cost. The defaults suit files from anywhere.
  Limits limits = {};
};

/// Options for loading files as they are, into a `Value`: `LoadOptions` without what only applies
/// to a C++ type.
struct ReadOptions {
  std::shared_ptr<const Format> format = nullptr;  ///< See `LoadOptions::format`.
  Access access = Access::map;                     ///< See `LoadOptions::access`.
  /// How to handle numbers that their original dtype cannot hold.
  Overflow overflow = Overflow::error;
  unsigned threads = 0;           ///< See `LoadOptions::threads`.
  bool verify_checksums = false;  ///< See `LoadOptions::verify_checksums`.
  Limits limits = {};             ///< See `LoadOptions::limits`.

  /// Converts to the options for loading a C++ type.
  operator LoadOptions() const {
    return {.format = format,
            .access = access,
            .overflow = overflow,
            .threads = threads,
            .verify_checksums = verify_checksums,
            .limits = limits};
  }
};

/// A tensor whose values a conversion changed.
struct ConvertedTensor {
  std::string name;         ///< The name in the file.
  ConversionReport report;  ///< The effect on its values.
};

/// The result of saving.
struct SaveReport {
  std::uint64_t bytes = 0;                   ///< The size of all files together.
  std::vector<ConvertedTensor> conversions;  ///< Tensors that lost more than by rounding.
  /// The names of files of the earlier save that this one took the place of, and that are removed
  /// once it is complete (see `SaveOptions::shard_size`).
  std::vector<std::string> removed = {};
};

}  // namespace safestructures::inline v0
