/// \file
/// The names of attributes that this library gives a meaning, in one list.
#pragma once

#include <string_view>

#include <safestructures/data/export.hpp>

/// Extension fields of this library, which stand beside the user's own attributes of a value. A
/// user's attribute of such a name is taken for what it says here.
namespace safestructures::inline v0::attributes {

/// Of a tensor in a record of Burn: the id of the parameter that it is, or None for a tensor that
/// is none.
inline constexpr std::string_view burn_id = "burn.id";
/// Of a struct: the version of its C++ class, where that is above 0.
inline constexpr std::string_view class_version = "class_version";
/// Of a struct of tensors that stand for a list of structs: the number of items.
inline constexpr std::string_view columns = "columns";
/// Of a tensor whose last dimension, of size 2, is real and imaginary part: `true`.
inline constexpr std::string_view complex = "complex";
/// Of a tensor: the dtype that it had before it was stored in another.
inline constexpr std::string_view dtype = "dtype";
/// Of the value of a `std::variant`: the index of the alternative.
inline constexpr std::string_view variant = "variant";

/// Names that no attribute can have, because nodes of the schema have fields of these names: `keys`
/// on all but custom values, `class` on structs.
/// @{
inline constexpr std::string_view schema_type = "data_type";
inline constexpr std::string_view schema_value = "value";
inline constexpr std::string_view schema_keys = "keys";
inline constexpr std::string_view schema_class = "class";
/// @}

}  // namespace safestructures::inline v0::attributes
