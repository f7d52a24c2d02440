/// \file
/// Texts of records are UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <safestructures/data/error.hpp>
#include "formats/safetensors/json_text.hpp"

namespace safestructures::inline v0::burn {

inline constexpr std::string_view utf8_advice =
    "Check that the C++ type has the fields of the record, in its order";

/// \param offset where the text is in the file \throws Error `invalid_utf8`
inline void check_utf8(std::string_view text, std::uint64_t offset) {
  if (safetensors::detail::find_invalid_utf8(text))
    throw Error(ErrorCode::invalid_utf8, "a text of the record is not UTF-8",
                {.advice = std::string(utf8_advice), .offset = offset});
}

}  // namespace safestructures::inline v0::burn
