/// \file
/// By which words codecs of Burn's types are known (burn/param.hpp, burn/enum.hpp).
#pragma once

#include <string_view>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0::burn {

/// `TypeInfo::mark` of the types of those names: Burn's format writes and reads them in a way of
/// their own.
/// @{
inline constexpr std::string_view param_mark = "burn.Param";
inline constexpr std::string_view bare_mark = "burn.Bare";
inline constexpr std::string_view constant_mark = "burn.Constant";
inline constexpr std::string_view enum_mark = "burn.Enum";
inline constexpr std::string_view activation_mark = "burn.Activation";
/// @}

}  // namespace safestructures::inline v0::burn
