#include "platform/system_error.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>

namespace safestructures::inline v0::platform {
namespace {

struct Advice {
  std::error_condition cause;
  std::string_view reading;
  std::string_view writing;
};

/// Returns the condition of an error that has no name in `std::errc`.
std::error_condition condition_of(int number) {
  return std::error_code(number, std::system_category()).default_error_condition();
}

std::string_view advice_for(std::error_code cause, bool writing) {
  using std::errc;
  static const std::array<Advice, 16> table = {{
      {make_error_condition(errc::no_such_file_or_directory),
       "Check the path; relative paths start at the current folder",
       "Create the folder first; relative paths start at the current folder"},
      {make_error_condition(errc::not_a_directory), "One part of the path is a file, not a folder",
       "One part of the path is a file, not a folder"},
      {make_error_condition(errc::permission_denied),
       "Check the permissions of the file and of the folders above it",
       "Check the permissions of the file and of its folder; the folder must be writable"},
      {make_error_condition(errc::operation_not_permitted),
       "Check the permissions and attributes of the file",
       "Check the permissions and attributes of the file and of its folder"},
      {make_error_condition(errc::no_space_on_device), "Free some space on the disk",
       "Free some space on the disk, or save to another one"},
      {condition_of(EDQUOT), "Free some of your disk quota",
       "Free some of your disk quota, or save to another disk"},
      {make_error_condition(errc::file_too_large), "Use a 64-bit build of this program",
       "Write smaller files (shards, or a recorder's segment_bytes), raise the limit (ulimit -f), "
       "or save to another file system"},
      {make_error_condition(errc::is_a_directory), "Name a file inside the folder",
       "Name a file inside the folder"},
      {make_error_condition(errc::read_only_file_system), "Save to another folder",
       "Save to another folder: this file system is mounted read-only"},
      {make_error_condition(errc::too_many_files_open),
       "Close some files, or raise the limit (ulimit -n)",
       "Close some files, or raise the limit (ulimit -n)"},
      {make_error_condition(errc::too_many_files_open_in_system),
       "Too many files are open on this machine; close some programs",
       "Too many files are open on this machine; close some programs"},
      {make_error_condition(errc::filename_too_long), "Use a shorter name", "Use a shorter name"},
      {make_error_condition(errc::too_many_symbolic_link_levels),
       "The symbolic link points to itself; name the file directly",
       "The symbolic link points to itself; name the file directly"},
      {make_error_condition(errc::not_enough_memory),
       "Free some memory, or read instead of mapping the file", "Free some memory"},
      {make_error_condition(errc::io_error), "The disk or the network failed; see the system's log",
       "The disk or the network failed; see the system's log"},
      {condition_of(ESTALE), "The file changed on the server; open it again",
       "The folder changed on the server; save again"},
  }};
  for (const Advice& entry : table) {
    if (cause == entry.cause) return writing ? entry.writing : entry.reading;
  }
  return {};
}

}  // namespace

Error system_error(ErrorCode code, std::string_view operation, const std::filesystem::path& file,
                   std::error_code cause, std::optional<std::uint64_t> offset) {
  ErrorDetails details;
  details.file = file.string();
  if (const std::size_t zero = details.file.find('\0'); zero != std::string::npos) {
    // The rest would be cut from the message, too.
    for (std::size_t i = zero; i < details.file.size(); ++i)
      if (details.file[i] == '\0') details.file.replace(i, 1, "\\x00");
    details.expected = "a path without a zero byte, where the system would end it";
    details.found = "one";
    details.advice = "Check the length of the text that the path was made from";
    return {ErrorCode::invalid_argument, std::string(operation), std::move(details)};
  }
  details.advice = advice_for(cause, code == ErrorCode::cannot_write);
  details.offset = offset;
  return {code, std::string(operation) + ": " + cause.message(), std::move(details)};
}

}  // namespace safestructures::inline v0::platform
