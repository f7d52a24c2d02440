/// \file
/// What the records of Burn's own modules hold beside parameters, version by version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "formats/burn/record.hpp"

namespace safestructures::inline v0::burn {

/// What stands in a field of a record.
enum class Role : std::uint8_t {
  member,             ///< What the C++ struct holds.
  constant,           ///< Nothing.
  optional_constant,  ///< Nothing, behind the tag of an option.
};

struct ModuleField {
  std::string_view name;
  Role role = Role::member;
  std::size_t count = 0;       ///< Constants of an array.
  Version from = 0;            ///< The first version that has the field there,
  Version until = UINT32_MAX;  ///< and the first that has not.
  Version optional_from = 0;   ///< Before, what C++ has as an optional is none.

  [[nodiscard]] bool is_in(Version version) const noexcept {
    return from <= version && version < until;
  }
};

/// The fields in the order of the record; empty for what is no module of Burn.
/// \param class_name as the C++ struct has it: `burn.Linear`
[[nodiscard]] std::span<const ModuleField> fields_of(std::string_view class_name) noexcept;

/// The member of the record that these fields are in, where there is one: InstanceNorm held a
/// GroupNorm through 0.13.
[[nodiscard]] std::string_view inner_of(std::string_view class_name, Version version) noexcept;

/// The index of a variant of `Activation`; nothing where the version does not have it.
[[nodiscard]] std::optional<std::uint64_t> activation_index(std::string_view name,
                                                            Version version) noexcept;

}  // namespace safestructures::inline v0::burn
