/// \file
/// Converts errors of the operating system to `Error`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::platform {

/// Returns an `Error` that reads `file: operation: the system's text. What to do.`
/// \param operation what was attempted, such as "cannot open the file".
[[nodiscard]] Error system_error(ErrorCode code, std::string_view operation,
                                 const std::filesystem::path& file, std::error_code cause,
                                 std::optional<std::uint64_t> offset = std::nullopt);

}  // namespace safestructures::inline v0::platform
