/// \file
/// Determines which file a save replaces.
#pragma once

#include <filesystem>
#include <optional>

#include "platform/os.hpp"

namespace safestructures::inline v0::platform {

struct SaveTarget {
  std::filesystem::path path;          ///< What the rename replaces, with links followed.
  std::optional<os::Status> existing;  ///< Null for a new file or a dangling link.
};

/// Resolves the target of a save, with one system call if the file is new or not a link.
/// \throws Error `cannot_write` unless it is a file that this user may write, or does not exist yet
[[nodiscard]] SaveTarget save_target(const std::filesystem::path& named);

}  // namespace safestructures::inline v0::platform
