/// \file
/// Loading a file, a stream, or bytes in memory into a C++ object or a Value.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/type_describer.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/tools/document.hpp>

namespace safestructures::inline v0 {

namespace detail {

template <class T>
struct LoadedOf {
  static_assert(std::is_object_v<T> && !std::is_array_v<T>,
                "safestructures: load an object, not a reference or a C array: in place of a T& "
                "the T, in place of a T[3] a std::array<T, 3>.");
  using type = T;
};
/// T, restricted to types that a function can return.
template <class T>
using Loaded = typename LoadedOf<T>::type;

/// Returns the options with that type. \throws Error `invalid_argument` if they have another
SAFESTRUCTURES_API LoadOptions with_type(LoadOptions options, const TypeInfo& (*type)());
template <class T>
LoadOptions typed(LoadOptions options) {
  return with_type(std::move(options), &type_info_of<T>);
}

}  // namespace detail

/// Loads a file into a C++ object, whose tensors get memory of their own.
///
/// Members that are views (Tensor, Value) keep the mapped file alive instead. Each has the dtype it
/// was saved from.
/// \throws Error what is wrong with the file or does not fit T, with file and path.
template <class T>
[[nodiscard]] detail::Loaded<T> load_file(const std::filesystem::path& path,
                                          const LoadOptions& options = {}) {
  return Document::open(path, detail::typed<T>(options)).template as<T>();
}

/// Loads a file as a Value. Every tensor has the dtype it had before it was saved; tensors that are
/// stored in it are views of the mapped file, which they keep alive.
[[nodiscard]] SAFESTRUCTURES_API Value load_file(const std::filesystem::path& path,
                                                 const ReadOptions& options = {});

/// Loads from a binary stream, which is read to its end, without seeking. Nothing has to be kept
/// alive. \throws Error also `cannot_read` if the stream fails
template <class T>
[[nodiscard]] detail::Loaded<T> load(std::istream& in, const LoadOptions& options = {}) {
  return Document::open(Source::read_all(in), detail::typed<T>(options)).template as<T>();
}

/// Loads from a stream as a Value.
[[nodiscard]] SAFESTRUCTURES_API Value load(std::istream& in, const ReadOptions& options = {});

/// Loads from bytes in memory. Members that are views (Tensor, Value) refer to `bytes`, which the
/// caller must keep alive for them.
template <class T>
[[nodiscard]] detail::Loaded<T> load(std::span<const std::byte> bytes,
                                     const LoadOptions& options = {}) {
  return Document::from_bytes(bytes, nullptr, detail::typed<T>(options)).template as<T>();
}

/// Loads from bytes and takes ownership of them: nothing has to be kept alive.
template <class T>
[[nodiscard]] detail::Loaded<T> load(std::vector<std::byte>&& bytes,
                                     const LoadOptions& options = {}) {
  return Document::open(Source::of(std::move(bytes)), detail::typed<T>(options)).template as<T>();
}

/// Loads from bytes as a Value whose tensors refer to `bytes`, which the caller must keep alive.
[[nodiscard]] SAFESTRUCTURES_API Value load(std::span<const std::byte> bytes,
                                            const ReadOptions& options = {});

/// Loads from bytes as a Value and takes ownership of them: nothing has to be kept alive.
[[nodiscard]] SAFESTRUCTURES_API Value load(std::vector<std::byte>&& bytes,
                                            const ReadOptions& options = {});

}  // namespace safestructures::inline v0
