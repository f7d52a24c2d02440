/// \file
/// Loading: a file or bytes in memory into a C++ object or a Value.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/type_describer.hpp>
#include <safestructures/tools/document.hpp>

namespace safestructures::inline v0 {

namespace detail {

template <class T>
LoadOptions typed(LoadOptions options) {
  options.type = &TypeDescriber::node<T>();
  return options;
}

}  // namespace detail

/// Loads a file into a C++ object, whose tensors get memory of their own.
///
/// Members that are views (Tensor, Value) keep the mapped file alive. Each has the dtype that was
/// saved.
/// \throws Error what is wrong with the file or does not fit T, with file and path.
template <class T>
[[nodiscard]] T load_file(const std::filesystem::path& path, const LoadOptions& options = {}) {
  return Document::open(path, detail::typed<T>(options)).template as<T>();
}

/// Loads a file as it is. Every tensor has the dtype it had before it was saved; those that are
/// stored in it are views of the mapped file, which they keep alive.
[[nodiscard]] SAFESTRUCTURES_API Value load_file(const std::filesystem::path& path,
                                                 const ReadOptions& options = {});

/// The same from bytes in memory. Members that are views (Tensor, Value) refer to `bytes`, which
/// the caller keeps alive for them.
template <class T>
[[nodiscard]] T load(std::span<const std::byte> bytes, const LoadOptions& options = {}) {
  return Document::from_bytes(bytes, nullptr, detail::typed<T>(options)).template as<T>();
}

/// The same as a Value whose tensors refer to `bytes`, which the caller keeps alive.
[[nodiscard]] SAFESTRUCTURES_API Value load(std::span<const std::byte> bytes,
                                            const ReadOptions& options = {});

/// The same, taking the bytes over: nothing has to be kept alive.
[[nodiscard]] SAFESTRUCTURES_API Value load(std::vector<std::byte>&& bytes,
                                            const ReadOptions& options = {});

}  // namespace safestructures::inline v0
