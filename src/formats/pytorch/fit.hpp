/// \file
/// State dicts, whose names have dots, for structs.
#pragma once

#include <safestructures/data/limits.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0::pytorch {

/// Whether a value is a dict of tensors by names, and of nothing else.
[[nodiscard]] bool is_state_dict(const Value& value);

/// Returns the structure that the names of a state dict suggest, see `structure_of_names`. Tensors
/// get these names.
/// \throws Error `limit_exceeded`
[[nodiscard]] Value structure_of(const Value& state_dict, const Limits& limits);

/// Replaces each state dict by its structure where a type has a struct.
/// \returns whether there was one
/// \throws Error `limit_exceeded`
bool fit(Value& value, const TypeInfo& type, const Limits& limits);

}  // namespace safestructures::inline v0::pytorch
