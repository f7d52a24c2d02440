/// \file
/// The names of all attributes that have a meaning in this library.
#pragma once

#include <string_view>

#include <safestructures/data/export.hpp>

/// This library's own extension fields, which are stored next to the user's attributes of a value.
/// A user's attribute with such a name has the meaning given here.
namespace safestructures::inline v0::attributes {

/// On a tensor in a Burn record: the id of the parameter, or None for a tensor that is not a
/// parameter.
inline constexpr std::string_view burn_id = "burn.id";
/// On a struct: the version of its C++ class if that is above 0.
inline constexpr std::string_view class_version = "class_version";
/// On a struct of tensors that stands for a list of structs: the number of items.
inline constexpr std::string_view columns = "columns";
/// On a tensor whose last dimension, of size 2, is the real and imaginary part: `true`.
inline constexpr std::string_view complex = "complex";
/// On a tensor: the dtype that it had before it was stored in another.
inline constexpr std::string_view dtype = "dtype";
/// On a column of enums, a tensor of integers: a dict from the names that occur to their numbers,
/// in ascending order of the numbers.
inline constexpr std::string_view names = "names";
/// On the value of a `std::variant`: the index of the alternative.
inline constexpr std::string_view variant = "variant";

/// Names that no attribute can have, because schema nodes have fields with these names: `keys` on
/// all except custom values, `class` on structs.
/// @{
inline constexpr std::string_view schema_type = "data_type";
inline constexpr std::string_view schema_value = "value";
inline constexpr std::string_view schema_keys = "keys";
inline constexpr std::string_view schema_class = "class";
/// @}

}  // namespace safestructures::inline v0::attributes
