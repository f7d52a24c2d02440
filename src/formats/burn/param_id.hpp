/// \file
/// The spelling of the ids of parameters since Burn 0.15.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace safestructures::inline v0::burn {

/// Returns the 13 characters of an id: its eight bytes, little-endian, in BASE32_DNSSEC (digits,
/// then a to v; the most significant bit first; no padding).
[[nodiscard]] std::string param_id_text(std::uint64_t id);

/// Parses an id as Burn does: upper and lower case are the same; 10 characters are six bytes, and
/// the others are 0; the empty text is 0. Returns null for any other text: a UUID of an older
/// version, another length, a bit set after the last byte.
[[nodiscard]] std::optional<std::uint64_t> parse_param_id(std::string_view text) noexcept;

}  // namespace safestructures::inline v0::burn
