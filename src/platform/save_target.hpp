/// \file
/// Which file a save replaces.
#pragma once

#include <filesystem>
#include <optional>

#include "platform/os.hpp"

namespace safestructures::inline v0::platform {

struct SaveTarget {
  std::filesystem::path path;          ///< Links at its end are followed: what the rename replaces.
  std::optional<os::Status> existing;  ///< Nothing where a new file or a dangling link is named.
};

/// One system call where the file is new or no link.
/// \throws Error `cannot_write` unless it is a file that this user may write, or nothing yet
[[nodiscard]] SaveTarget save_target(const std::filesystem::path& named);

}  // namespace safestructures::inline v0::platform
