#include "recording/recorder/parts.hpp"

#include <utility>

#include <safestructures/data/path.hpp>
#include "recording/segments/files.hpp"

namespace safestructures::inline v0::recording {

RecorderParts::RecorderParts(const std::filesystem::path& to, RecorderOptions how)
    : folder(from_root(to)),
      options(std::move(how)),
      names(options.rules, folder.string()),
      content(options.max_bytes),
      memory(options.memory),
      pool(options.memory, memory.used()) {}

Error RecorderParts::named(const Error& error, const Names::Entry& name) const {
  Path path;
  path.push_back(name.first);
  return error.with_path("/").with_parent_path(path.to_string()).with_file(folder.string());
}

}  // namespace safestructures::inline v0::recording
