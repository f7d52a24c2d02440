/// \file
/// JSON text in ASCII.
#pragma once

#include <string>
#include <string_view>

namespace safestructures::cli {

/// Escapes DEL and everything beyond ASCII; the rest of the JSON text stays as it is.
std::string in_ascii(std::string_view json);

/// Returns a quoted string. `text` is UTF-8 or WTF-8.
std::string json_string(std::string_view text);

}  // namespace safestructures::cli
