/// \file
/// Storages of PyTorch: the memory that its tensors are views of.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <safestructures/data/dtype.hpp>
#include "data/keyed_hash.hpp"
#include "formats/pytorch/pickle.hpp"

namespace safestructures::inline v0::pytorch {

/// The elements of a storage or tensor.
struct ElementType {
  DType dtype = DType::U8;
  /// Whether each element is a pair of these: a complex number of two doubles.
  bool is_pair = false;

  [[nodiscard]] std::uint64_t width() const noexcept {
    return std::uint64_t{bit_width(dtype)} / 8 * (is_pair ? 2 : 1);
  }
};

/// Returns the elements of a dtype of PyTorch, by its name in a pickle: `torch.float16`.
[[nodiscard]] std::optional<ElementType> dtype_named(std::string_view name);

/// What stands for a storage in a pickle.
struct StorageId {
  std::string_view key;     ///< Valid as long as the pickle.
  ElementType element;      ///< Bytes for a storage without a type.
  std::uint64_t count = 0;  ///< The number of elements.
};

/// \param id an object of kind `persistent`
/// \throws Error `invalid_schema`, `unknown_dtype`, without a path
[[nodiscard]] StorageId storage_id(const Pickle& pickle, Id id);

/// Where the bytes of a storage are in the file.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

using Storages = std::unordered_map<std::string, Extent, detail::KeyedHash, std::equal_to<>>;

/// Readers of the parts of a pickle. \throws Error `invalid_schema`, without a path
/// @{
[[nodiscard]] const Object& object_at(const Pickle& pickle, Id id, ObjectKind kind,
                                      std::string_view expected);
[[nodiscard]] const std::string& text_at(const Pickle& pickle, Id id, std::string_view expected);
/// \returns a number that is not negative
[[nodiscard]] std::uint64_t count_at(const Pickle& pickle, Id id, std::string_view expected);
/// @}

}  // namespace safestructures::inline v0::pytorch
