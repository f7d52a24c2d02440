/// \file
/// Saving a C++ object or a Value into a file, a stream, or memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/type_describer.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0 {

namespace detail {

/// An object and its encoder without their type, for the compiled part of the library.
struct Encodee {
  const void* object;
  Value (*encode)(const void* object, Encoder& encoder);
  const TypeInfo& (*type)();
  bool is_value = false;  ///< Whether the object is a Value already, which needs no copy.

  template <class T>
  static Encodee of(const T& object) {
    return {std::addressof(object),
            [](const void* pointer, Encoder& encoder) {
              return encoder.encode(*static_cast<const T*>(pointer));
            },
            &type_info_of<T>, std::same_as<T, Value>};
  }
};

SAFESTRUCTURES_API SaveReport save_file(const Encodee& object, const std::filesystem::path& path,
                                        const SaveOptions& options);
SAFESTRUCTURES_API SaveReport save(const Encodee& object, std::ostream& out,
                                   const SaveOptions& options);
SAFESTRUCTURES_API std::vector<std::byte> save(const Encodee& object, const SaveOptions& options);

}  // namespace detail

/// Saves any object that has a codec, in the format given by `options` or the path's extension: by
/// default a safetensors file with a schema. If the name ends in `.gz`, the file is gzipped and the
/// extension before that determines the format.
///
/// The file is written under a temporary name in the same folder and renamed, so that an old file
/// is replaced as a whole or not at all. Tensors are written directly from the object's memory.
/// \throws Error with the path in the structure and the file; see error.hpp.
template <class T>
SaveReport save_file(const T& object, const std::filesystem::path& path,
                     const SaveOptions& options = {}) {
  return detail::save_file(detail::Encodee::of(object), path, options);
}

/// Writes the same bytes to a binary stream, without seeking. `shard_size` is rejected.
template <class T>
SaveReport save(const T& object, std::ostream& out, const SaveOptions& options = {}) {
  return detail::save(detail::Encodee::of(object), out, options);
}

/// Returns the same bytes. `shard_size` is rejected.
template <class T>
[[nodiscard]] std::vector<std::byte> save(const T& object, const SaveOptions& options = {}) {
  return detail::save(detail::Encodee::of(object), options);
}

}  // namespace safestructures::inline v0
