/// \file
/// The marks by which the codecs of Burn's types are recognised (burn/param.hpp, burn/enum.hpp).
#pragma once

#include <string_view>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0::burn {

/// `TypeInfo::mark` of the types with these names, which Burn's format writes and reads specially.
/// @{
inline constexpr std::string_view param_mark = "burn.Param";
inline constexpr std::string_view bare_mark = "burn.Bare";
inline constexpr std::string_view constant_mark = "burn.Constant";
inline constexpr std::string_view enum_mark = "burn.Enum";
inline constexpr std::string_view activation_mark = "burn.Activation";
/// @}

}  // namespace safestructures::inline v0::burn
