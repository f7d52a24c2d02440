/// \file
/// Names of C++ types in error messages.
#pragma once

#include <string>
#include <typeinfo>

namespace safestructures::inline v0::detail {

/// Returns the type as written in source code if the compiler's library can demangle it; otherwise
/// its raw name.
std::string cpp_type_name(const std::type_info& type);

}  // namespace safestructures::inline v0::detail
