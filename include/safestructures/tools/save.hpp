/// \file
/// Saving: a C++ object or a Value into a file, a stream, or memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/formats/safetensors/writer.hpp>
#include <safestructures/formats/schema.hpp>

namespace safestructures {

/// How objects are saved.
struct SaveOptions {
  /// Text by name, stored beside the structure; every safetensors tool shows it. The names of the
  /// schema itself are refused.
  safetensors::Metadata metadata = {};
  /// In which precision floating tensors are stored. The original dtype is noted in the file.
  Precision precision = Precision::f32;
  TensorNames tensor_names = TensorNames::paths;
  /// Whether fields are written that Python's package does not know: C++ class names and versions,
  /// original dtypes, tags of variants. Python passes over them. Without them (and with
  /// `TensorNames::numbers`) the schema is the text that Python writes for the same structure, and
  /// what they would tell is lost.
  bool extensions = true;
  /// From how many items on a vector of plain numeric structs is stored as columns, one tensor for
  /// each field, instead of a list; see codecs/columns.hpp. The largest number: never.
  std::size_t columns_from = 4096;
  /// Types that are found at run time; must outlive the call.
  const Registry* registry = nullptr;
  /// What to do with numbers that the stored dtype cannot hold.
  Overflow overflow = Overflow::error;
  /// Refuse to save what `SaveReport::conversions` would tell of: numbers that became zero,
  /// saturated or infinite, integers that were rounded, NaNs that lost bits. \throws Error
  /// `lossy_conversion` when saving.
  bool lossless = false;
  /// Whether checksums are stored: an XXH3-64 for each tensor, one for the schema and one for each
  /// other metadata text, in the metadata, where other tools pass over them. Every element is read,
  /// and if need be converted, a second time. They find damage, not forgery.
  bool checksums = false;
  /// Whether the file survives a loss of power once the call has returned.
  bool durable = false;
  /// Bytes of tensors in one file; beyond, the structure is split into shards with an index, as
  /// Hugging Face does. 0: one file, whatever its size.
  std::uint64_t shard_size = 0;
  /// Tensors by name that are stored beside the structure, which does not refer to them, in their
  /// own dtype. \throws Error `duplicate_name` when saving, for a name that the structure uses.
  std::map<std::string, Tensor, std::less<>> extra_tensors = {};
  Limits limits = {};
};

/// A tensor whose values a conversion changed.
struct ConvertedTensor {
  std::string name;
  ConversionReport report;
};

/// What was saved.
struct SaveReport {
  std::uint64_t bytes = 0;                   ///< Bytes of all files together.
  std::vector<ConvertedTensor> conversions;  ///< Tensors that lost more than rounding.
};

namespace detail {

/// An object and its encoder, without their type: what is compiled once needs no more.
struct Encodee {
  const void* object;
  Value (*encode)(const void* object, Encoder& encoder);
  bool is_value = false;  ///< The object is a Value already, and needs no copy.

  template <class T>
  static Encodee of(const T& object) {
    return {&object,
            [](const void* pointer, Encoder& encoder) {
              return encoder.encode(*static_cast<const T*>(pointer));
            },
            std::same_as<T, Value>};
  }
};

SAFESTRUCTURES_API SaveReport save_file(const Encodee& object, const std::filesystem::path& path,
                                        const SaveOptions& options);
SAFESTRUCTURES_API SaveReport save(const Encodee& object, std::ostream& out,
                                   const SaveOptions& options);
SAFESTRUCTURES_API std::vector<std::byte> save(const Encodee& object, const SaveOptions& options);

}  // namespace detail

/// Saves any object that has a codec as a safetensors file with a schema.
///
/// The file is written under a temporary name in the same folder and renamed, so that an old file
/// is replaced whole or not at all. Tensors are written straight from the object's memory.
/// \throws Error with the path in the structure and the file; see error.hpp.
template <class T>
SaveReport save_file(const T& object, const std::filesystem::path& path,
                     const SaveOptions& options = {}) {
  return detail::save_file(detail::Encodee::of(object), path, options);
}

/// The same bytes to a binary stream, without seeking. `shard_size` is refused.
template <class T>
SaveReport save(const T& object, std::ostream& out, const SaveOptions& options = {}) {
  return detail::save(detail::Encodee::of(object), out, options);
}

/// The same bytes in memory. `shard_size` is refused.
template <class T>
[[nodiscard]] std::vector<std::byte> save(const T& object, const SaveOptions& options = {}) {
  return detail::save(detail::Encodee::of(object), options);
}

}  // namespace safestructures
