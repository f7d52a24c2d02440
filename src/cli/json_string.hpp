/// \file
/// Text in JSON that is ASCII.
#pragma once

#include <string>
#include <string_view>

namespace safestructures::cli {

/// Escapes what is beyond ASCII, and DEL; the rest of the JSON text stays as it is.
std::string in_ascii(std::string_view json);

/// A string in quotes. `text` is UTF-8, or WTF-8.
std::string json_string(std::string_view text);

}  // namespace safestructures::cli
