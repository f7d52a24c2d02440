/// \file
/// JSON strings on their way out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <safestructures/data/path.hpp>

namespace safestructures::inline v0::detail {

/// What is spelled by an escape, beside quotes, backslashes and controls.
enum class Escapes : std::uint8_t {
  all,     ///< All that is not ASCII, as Python's `json.dumps` does.
  unsafe,  ///< What steers a terminal or turns the reading order; the rest is UTF-8.
};

/// Appends a text in quotes. A surrogate alone, as WTF-8 holds it in three bytes, becomes its own
/// escape; a pair in six bytes is refused, since it would be read as another text.
/// \param trace where the text is, for the error
/// \throws Error `invalid_utf8`
void append_json_string(std::string& json, std::string_view text, Escapes escapes,
                        const Trace* trace);

}  // namespace safestructures::inline v0::detail
