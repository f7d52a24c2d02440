/// \file
/// How structures are saved and loaded, and what saving tells.
#pragma once

#include <cstddef>
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
namespace detail {
struct TypeNode;
}

/// Text by name that goes with a file. A plain `std::map<std::string, std::string>` becomes one.
struct Metadata : std::map<std::string, std::string, std::less<>> {
  using map::map;
  /// Without any text.
  Metadata() = default;
  /// A copy of these.
  Metadata(const std::map<std::string, std::string>& texts) : map(texts.begin(), texts.end()) {}
};

/// How the bytes of tensors come into memory. What is packed by gzip is unpacked into memory on
/// opening in any case, and this says how the packed bytes get there.
enum class Access : std::uint8_t {
  /// The file is mapped: opening reads the header only, tensors are views, and the system reads the
  /// pages that are touched. Another program that cuts the file short meanwhile (rather than
  /// replacing it, as this library does) makes touching the lost pages end the process.
  map,
  /// Every tensor is deferred: read when it is used, and nothing else is. For network file systems,
  /// or where a file cut short must be an Error.
  read,
  /// Everything is read on opening, into one block of memory: the fastest way when all is needed.
  memory,
};

/// How tensors are named in the file.
enum class TensorNames : std::uint8_t {
  paths,    ///< by their place in the structure: `layers.0.weight`, as a state dict
  numbers,  ///< `0`, `1`, ... in the order they are met, as Python's package names them
};

/// How objects are saved. A format that cannot do what is asked for here refuses it, with Error
/// `invalid_argument`.
struct SaveOptions {
  /// The format; null: the one that the file's extension names, or `formats::safestructures`.
  std::shared_ptr<const Format> format = nullptr;
  /// Text by name, stored beside the structure; every safetensors tool shows it. The names of the
  /// format itself are refused.
  Metadata metadata = {};
  /// In which precision tensors are stored. The original dtype is noted in the file, and a tensor
  /// has it again when it is loaded; but not without `schema` or `extensions`, where there is no
  /// place for the note: a plain state dict of BF16 wants `Precision::preserve`.
  Precision precision = Precision::f32;
  /// By which names the file has tensors that have none yet: see `Value::set_tensor_name`.
  TensorNames tensor_names = TensorNames::paths;
  /// Whether the file describes the structure. Without it only tensors can be saved, by their
  /// names: a plain state dict, as other safetensors tools write it.
  bool schema = true;
  /// Whether fields are written that Python's package does not know: C++ class names and versions,
  /// original dtypes, tags of variants. Python passes over them. Without them (and with
  /// `TensorNames::numbers`) the schema is the text that Python writes for the same structure, and
  /// what they would tell is lost.
  bool extensions = true;
  /// Whether every vector of plain numeric structs is stored as columns, one tensor for each field,
  /// instead of a list, and not only those whose rules ask for it; see codecs/columns.hpp. Not
  /// those with something in them for which the registry has a codec of its own. A Value, and what
  /// `convert` saves, has its lists and columns already and is saved as it is.
  bool columns = false;
  /// Types that are found at run time; must outlive the call.
  const Registry* registry = nullptr;
  /// What to do with numbers that the stored dtype cannot hold.
  Overflow overflow = Overflow::error;
  /// Refuse every conversion that does not give back the same bits when it is converted back: 1/3
  /// in double precision stored as F32. \throws Error `lossy_conversion` when saving.
  bool lossless = false;
  /// Refuse what `SaveReport::conversions` would tell of, but not rounding: numbers that became
  /// zero, saturated or infinite, integers that were rounded, NaNs that lost bits. \throws Error
  /// `lossy_conversion` when saving.
  bool refuse_range_losses = false;
  /// Whether checksums are stored: an XXH3-64 for each tensor, one for the schema and one for each
  /// other metadata text, in the metadata, where other tools pass over them. Every element is read,
  /// and if need be converted, a second time. They find damage, not forgery.
  bool checksums = false;
  /// Whether the file survives a loss of power once the call has returned. Streams and memory have
  /// nothing to survive.
  bool durable = false;
  /// The most threads that saving uses; 0: what pays, up to 16 and to the processors that this
  /// process may use by its affinity and, for more than two, by its control groups. The file is the
  /// same for any number.
  /// Threads convert and reorder elements on their way into a file, and pack what goes through
  /// gzip. One thread writes what needs neither, as the system's lock of a file demands, does all
  /// that goes to a stream or into memory, computes checksums, and calls codecs: the one that
  /// called. Neighbours are one job in the default format only, elsewhere each tensor is.
  unsigned threads = 0;
  /// Bytes of tensors in one file; beyond, the structure is split into shards with an index, as
  /// Hugging Face does. 0: one file, whatever its size.
  std::uint64_t shard_size = 0;
  /// Tensors by name that are stored beside the structure, which does not refer to them, in their
  /// own dtype. \throws Error `duplicate_name` when saving, for a name that the structure uses.
  std::map<std::string, Tensor, std::less<>> extra_tensors = {};
  /// The C++ type of what is saved, for formats whose files do not describe themselves. `save_file`
  /// and `save` set it, whatever it was: a Value is of no other type, and neither is what `convert`
  /// saves.
  detail::TypeNode* type = nullptr;
  /// The bounds that a reader will hold the file to.
  Limits limits = {};
};

/// How files are loaded.
struct LoadOptions {
  /// The format; null: the one that the content shows, else the one that the extension names.
  std::shared_ptr<const Format> format = nullptr;
  /// How tensors come into memory. `Access::map` copies nothing.
  Access access = Access::map;
  /// Types that are found at run time; must outlive what is loaded through it.
  const Registry* registry = nullptr;
  /// What to do with numbers that the target type cannot hold.
  Overflow overflow = Overflow::error;
  /// Refuse structure fields that the target struct does not have, instead of passing over them.
  bool refuse_unknown_fields = false;
  /// The most threads that loading uses, as `SaveOptions::threads`; what is loaded is the same for
  /// any number. Threads read and copy a tensor of 32 MiB and more, and convert or reorder one of
  /// 8 MiB and more; all tensors together where a Value is loaded. One thread fills a vector with
  /// what is converted, unpacks gzip and compares checksums. What is deferred and used after the
  /// call is not held to this number.
  unsigned threads = 0;
  /// Read all bytes on opening and compare them with the checksums that the file must then have.
  /// \throws Error `checksum_mismatch`; see formats/safestructures/checksums.hpp.
  bool verify_checksums = false;
  /// The C++ type that is loaded, where that is known: `load_file<T>` and `load<T>` say it. For
  /// formats whose files do not describe themselves.
  detail::TypeNode* type = nullptr;
  /// What the file may cost. The usual ones are for files from anywhere.
  Limits limits = {};
};

/// How files are loaded as they are, into a `Value`: as `LoadOptions`, without what only a C++ type
/// can ask for.
struct ReadOptions {
  std::shared_ptr<const Format> format = nullptr;  ///< As `LoadOptions::format`.
  Access access = Access::map;                     ///< As `LoadOptions::access`.
  /// What to do with numbers that the dtype in which they were saved cannot hold.
  Overflow overflow = Overflow::error;
  unsigned threads = 0;           ///< As `LoadOptions::threads`.
  bool verify_checksums = false;  ///< As `LoadOptions::verify_checksums`.
  Limits limits = {};             ///< As `LoadOptions::limits`.

  /// The same for who asks for a C++ type.
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
  std::string name;         ///< In the file.
  ConversionReport report;  ///< What became of its values.
};

/// What was saved.
struct SaveReport {
  std::uint64_t bytes = 0;                   ///< Bytes of all files together.
  std::vector<ConvertedTensor> conversions;  ///< Tensors that lost more than rounding.
};

}  // namespace safestructures::inline v0
