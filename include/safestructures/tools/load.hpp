/// \file
/// Loading: a file or bytes in memory into a C++ object or a Value.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/type_describer.hpp>
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
/// T, which a function can return.
template <class T>
using Loaded = typename LoadedOf<T>::type;

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
[[nodiscard]] detail::Loaded<T> load_file(const std::filesystem::path& path,
                                          const LoadOptions& options = {}) {
  return Document::open(path, detail::typed<T>(options)).template as<T>();
}

/// Loads a file as it is. Every tensor has the dtype it had before it was saved; those that are
/// stored in it are views of the mapped file, which they keep alive.
[[nodiscard]] SAFESTRUCTURES_API Value load_file(const std::filesystem::path& path,
                                                 const ReadOptions& options = {});

/// The same from bytes in memory. Members that are views (Tensor, Value) refer to `bytes`, which
/// the caller keeps alive for them.
template <class T>
[[nodiscard]] detail::Loaded<T> load(std::span<const std::byte> bytes,
                                     const LoadOptions& options = {}) {
  return Document::from_bytes(bytes, nullptr, detail::typed<T>(options)).template as<T>();
}

/// The same, taking the bytes over: nothing has to be kept alive.
template <class T>
[[nodiscard]] detail::Loaded<T> load(std::vector<std::byte>&& bytes,
                                     const LoadOptions& options = {}) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const std::span<const std::byte> view = *owner;
  return Document::from_bytes(view, std::move(owner), detail::typed<T>(options)).template as<T>();
}

/// The same as a Value whose tensors refer to `bytes`, which the caller keeps alive.
[[nodiscard]] SAFESTRUCTURES_API Value load(std::span<const std::byte> bytes,
                                            const ReadOptions& options = {});

/// The same, taking the bytes over: nothing has to be kept alive.
[[nodiscard]] SAFESTRUCTURES_API Value load(std::vector<std::byte>&& bytes,
                                            const ReadOptions& options = {});

}  // namespace safestructures::inline v0
