/// \file
/// How Burn spells the ids of parameters, since its version 0.15.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace safestructures::inline v0::burn {

/// The 13 characters of an id: BASE32_DNSSEC (digits, then a to v; the most significant bit first;
/// no padding) of its eight bytes, little endian.
[[nodiscard]] std::string param_id_text(std::uint64_t id);

/// The id that a text spells, as Burn reads it: in capitals or not; 10 characters are six bytes,
/// the rest 0; the empty text is 0. Nothing for what spells none: a UUID of an older version,
/// another length, a bit set behind the last byte.
[[nodiscard]] std::optional<std::uint64_t> parse_param_id(std::string_view text) noexcept;

}  // namespace safestructures::inline v0::burn
