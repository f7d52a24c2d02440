/// \file
/// JSON escapes of surrogates without a partner, which Python writes and simdjson refuses.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace safestructures::detail {

/// The JSON text with every escape of a lone surrogate, `\ud800` to `\udfff`, replaced by a mark that
/// every JSON parser takes; nothing when there is none.
std::optional<std::string> mark_lone_surrogates(std::string_view json);

/// A string of such a text as it was meant: lone surrogates as in WTF-8, three bytes each.
std::string unmark_lone_surrogates(std::string_view text);

}  // namespace safestructures::detail
