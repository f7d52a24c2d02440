/// \file
/// Checks that the texts of records are UTF-8.
#pragma once

#include <cstdint>
#include <string_view>

#include <safestructures/data/error.hpp>
#include "data/text/utf8.hpp"

namespace safestructures::inline v0::burn {

/// The advice for a text that is not UTF-8, in the encodings that name their fields.
inline constexpr std::string_view utf8_advice =
    "The file is damaged, or was not written by Burn: save the record again";

/// Checks a text of bincode, where reading by the wrong type finds texts in other bytes.
/// \param offset of the text in the file \throws Error `invalid_utf8`
inline void check_utf8(std::string_view text, std::uint64_t offset) {
  if (detail::find_invalid_utf8(text))
    throw Error(ErrorCode::invalid_utf8, "a text of the record is not UTF-8",
                {.advice = "Check that the C++ type has the fields of the record, in its order",
                 .offset = offset});
}

}  // namespace safestructures::inline v0::burn
