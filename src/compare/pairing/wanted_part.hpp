/// \file
/// Decides how much of a record is compared.
#pragma once

#include <cstdint>
#include <string>

#include <safestructures/data/value.hpp>
#include "compare/pairing/filter.hpp"

namespace safestructures::inline v0::comparing {

/// How much of a record the globs select, by its name or by paths in it.
enum class WantedPart : std::uint8_t { none, some, all };

/// \param other its name in b, if different
[[nodiscard]] WantedPart wanted_part(const Filter& filter, const std::string& name,
                                     const std::string& other, const Value& value);

}  // namespace safestructures::inline v0::comparing
