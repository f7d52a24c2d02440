/// \file
/// JSON that Python writes and simdjson refuses: surrogates without a partner, and integers beyond
/// 64 bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace safestructures::detail {

/// The same JSON with every escape of a lone surrogate (`\ud800` to `\udfff`) and every integer of
/// 19 digits or more replaced by a mark that is valid JSON. Syntax errors stay what they are.
std::string mark_json(std::string_view json);

/// A string of such a JSON as it was meant: lone surrogates as in WTF-8, three bytes each.
std::string unmark_string(std::string_view text);

/// The digits, when a string of such a JSON stands for an integer.
std::optional<std::string_view> unmark_integer(std::string_view text);

}  // namespace safestructures::detail
