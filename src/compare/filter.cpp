#include "compare/filter.hpp"

#include <algorithm>

#include "platform/os.hpp"

namespace safestructures::inline v0::comparing {
namespace {

bool is_any_of(const std::vector<std::string>& globs, const std::string& path,
               const std::string& other) {
  return std::ranges::any_of(globs, [&](const std::string& glob) {
    return matches(glob, path) || (!other.empty() && matches(glob, other));
  });
}

}  // namespace

bool matches(const std::string& glob, const std::string& text) {
  return platform::os::matches_glob(glob.c_str(), text.c_str());
}

bool Filter::is_wanted(const std::string& path, const std::string& other) const {
  return (only_.empty() || is_any_of(only_, path, other)) && !is_ignored(path, other);
}

bool Filter::is_ignored(const std::string& path, const std::string& other) const {
  return is_any_of(ignore_, path, other);
}

void IgnoredChildren::add(const std::string& path) {
  if (path == "/" || !paths_.insert(path).second) return;
  const std::size_t last = path.rfind('/');
  ++counts_[last == 0 ? "/" : path.substr(0, last)];
}

std::size_t IgnoredChildren::count_in(const std::string& path) const {
  const auto found = counts_.find(path);
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace safestructures::inline v0::comparing
