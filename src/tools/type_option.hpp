/// \file
/// The option that gives the C++ type of what is saved or loaded.
#pragma once

#include <string_view>

#include <safestructures/data/type_info.hpp>

namespace safestructures::inline v0::detail {

/// \param given the type in the options; null if they have none
/// \param option the name of the option
/// \throws Error `invalid_argument` if it is not the object's own type
void check_type_option(const TypeInfo& (*given)(), const TypeInfo& (*own)(),
                       std::string_view option);

}  // namespace safestructures::inline v0::detail
