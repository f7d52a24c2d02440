/// \file
/// The tensors of an open file: those of its structure, and the rest.
#pragma once

#include <cstddef>
#include <functional>

#include <safestructures/tools/document.hpp>

namespace safestructures::cli {

/// Calls `visit` for every tensor and bytes value of a tree, custom values included, keys not.
void for_each_tensor(const Value& root, const std::function<void(const Value&)>& visit);

/// The number of tensors in the file, without the dummy of a structure that has none.
std::size_t tensor_count(const Document& document);

}  // namespace safestructures::cli
