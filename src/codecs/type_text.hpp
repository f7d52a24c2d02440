/// \file
/// Names of C++ types in error messages.
#pragma once

#include <string>
#include <typeinfo>

namespace safestructures::inline v0::detail {

/// The type as one writes it, where the compiler's library can tell; else its own name for it.
std::string type_text(const std::type_info& type);

}  // namespace safestructures::inline v0::detail
