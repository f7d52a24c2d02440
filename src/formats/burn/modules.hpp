/// \file
/// The fields other than parameters in the records of Burn's own modules, version by version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "formats/burn/record.hpp"

namespace safestructures::inline v0::burn {

/// The content of a record's field.
enum class Role : std::uint8_t {
  member,             ///< A member of the C++ struct.
  constant,           ///< A constant, which records do not store: nothing.
  optional_constant,  ///< Nothing, after the tag of an option.
};

struct ModuleField {
  std::string_view name;
  Role role = Role::member;
  std::size_t count = 0;       ///< The number of constants, if it is an array.
  Version from = 0;            ///< The first version that has the field at this place,
  Version until = UINT32_MAX;  ///< and the first that no longer has it.
  Version optional_from = 0;   ///< Before it, an optional member of the C++ struct is mandatory.
  std::string_view implied{};  ///< The variant that versions without the field always have.

  [[nodiscard]] bool is_in(Version version) const noexcept {
    return from <= version && version < until;
  }
};

/// Returns the fields in the order of the record; empty if the class is not a module of Burn.
/// \param class_name as in the C++ struct: `burn.Linear`
[[nodiscard]] std::span<const ModuleField> fields_of(std::string_view class_name) noexcept;

/// Returns the name of the record's member that holds these fields, or an empty text: through 0.13,
/// InstanceNorm held a GroupNorm.
[[nodiscard]] std::string_view inner_of(std::string_view class_name, Version version) noexcept;

/// Returns the index of a variant of `Activation`; null if the version does not have it.
[[nodiscard]] std::optional<std::uint64_t> activation_index(std::string_view name,
                                                            Version version) noexcept;

}  // namespace safestructures::inline v0::burn
