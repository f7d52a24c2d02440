/// \file
/// JSON text as Python's `json.dumps` writes it: ASCII only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace safestructures::detail {

/// Appends a JSON string in ASCII. UTF-8 beyond ASCII becomes `\uXXXX`, with surrogate pairs; a
/// surrogate alone, as WTF-8 holds it in three bytes, becomes its own escape.
/// Returns the position of the first byte that is not UTF-8, or `npos`.
std::size_t append_json_string(std::string& json, std::string_view text);

}  // namespace safestructures::detail
