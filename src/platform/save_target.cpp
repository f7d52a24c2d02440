#include "platform/save_target.hpp"

#include <string>
#include <system_error>
#include <utility>

#include <safestructures/data/error.hpp>
#include "platform/system_error.hpp"

namespace safestructures::inline v0::platform {
namespace {

constexpr int longest_link_chain = 40;  // The limit on Linux.
constexpr const char* to_stream = "Write to an output stream instead";

Error refusal(const std::filesystem::path& path, std::string found, std::string advice) {
  return {ErrorCode::cannot_write, "cannot replace the file",
          ErrorDetails{.file = path.string(),
                       .path = {},
                       .expected = "a regular file or nothing",
                       .found = std::move(found),
                       .advice = std::move(advice),
                       .offset = {}}};
}

/// The system follows some links to places that no path names: /proc/self/fd/1, and so /dev/stdout,
/// to the pipe behind it. A regular file may have been created there meanwhile, by another save.
/// \throws Error unless the link is dangling or names a regular file
void require_dangling(const std::filesystem::path& named) {
  std::error_code error;
  const std::filesystem::file_status found = std::filesystem::status(named, error);
  if (!std::filesystem::exists(found) || std::filesystem::is_regular_file(found)) return;
  throw refusal(named,
                std::filesystem::is_fifo(found)     ? "a pipe"
                : std::filesystem::is_socket(found) ? "a socket"
                                                    : "something else",
                to_stream);
}

/// Follows links at the end of the path. One system call if there is no link.
SaveTarget follow_links(const std::filesystem::path& named) {
  SaveTarget target{named, std::nullopt};
  for (int links = 0; links <= longest_link_chain; ++links) {
    std::error_code error;
    const os::Status found = os::status(target.path, error);
    if (error == std::errc::no_such_file_or_directory) {
      if (links != 0) require_dangling(named);
      return target;
    }
    if (error) throw system_error(ErrorCode::cannot_write, "cannot examine the file", named, error);
    if (found.kind != os::Kind::link) {
      target.existing = found;
      return target;
    }
    const std::filesystem::path next = std::filesystem::read_symlink(target.path, error);
    if (error) throw system_error(ErrorCode::cannot_write, "cannot follow the link", named, error);
    target.path = target.path.parent_path() / next;  // An absolute `next` replaces the folder.
  }
  throw system_error(ErrorCode::cannot_write, "cannot follow the link", named,
                     make_error_code(std::errc::too_many_symbolic_link_levels));
}

/// \throws Error unless it is a file that this user may write.
void require_replaceable(const SaveTarget& target, const std::filesystem::path& named) {
  switch (target.existing->kind) {
    case os::Kind::regular: break;
    case os::Kind::directory: throw refusal(named, "a folder", "Name a file inside it");
    case os::Kind::pipe: throw refusal(named, "a pipe", to_stream);
    case os::Kind::socket: throw refusal(named, "a socket", to_stream);
    case os::Kind::device: throw refusal(named, "a device", to_stream);
    case os::Kind::link:
    case os::Kind::other: throw refusal(named, "something else", to_stream);
  }
  std::error_code error;
  os::check_writable(target.path, error);
  if (error) throw system_error(ErrorCode::cannot_write, "cannot replace the file", named, error);
}

}  // namespace

SaveTarget save_target(const std::filesystem::path& named) {
  if (!named.has_filename())
    throw refusal(named, named.empty() ? "an empty path" : "a folder", "Name a file inside it");
  SaveTarget target = follow_links(named);
  if (target.existing) require_replaceable(target, named);
  return target;
}

}  // namespace safestructures::inline v0::platform
