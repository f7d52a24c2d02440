/// \file
/// NumPy's arrays and numbers in a pickle.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/pytorch/pickle.hpp"
#include "formats/pytorch/storages.hpp"

namespace safestructures::inline v0::pytorch {

/// Returns the bytes that a text of characters below 256 stands for; nothing if it has others.
[[nodiscard]] std::optional<std::vector<std::byte>> latin_bytes(std::string_view text);

/// Returns the elements of an array, from the call that makes its dtype; nothing for those that no
/// dtype here is for, such as texts, objects and numbers in the other byte order.
[[nodiscard]] std::optional<ElementType> numpy_dtype(const Pickle& pickle, Id id);

}  // namespace safestructures::inline v0::pytorch
