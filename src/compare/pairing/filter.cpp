#include "compare/pairing/filter.hpp"

#include <algorithm>

#include "data/text/glob.hpp"

namespace safestructures::inline v0::comparing {
bool matches(const std::string& glob, const std::string& text) {
  return detail::matches_glob(glob, text);
}

bool Filter::Globs::match(const std::string& path, const std::string& other,
                          bool has_children) const {
  UseMarks& marked = has_children ? marks_of_holders : marks;
  bool is_matched = false;
  for (std::size_t i = 0; i < globs.size(); ++i) {
    if (is_matched && marked.is_used(i)) continue;
    if (!matches(globs[i], path) && (other.empty() || !matches(globs[i], other))) continue;
    marked.mark(i);
    is_matched = true;
  }
  return is_matched;
}

void Filter::Globs::add_unused(std::string_view what, std::vector<std::string>& notes) const {
  for (std::size_t i = 0; i < globs.size(); ++i) {
    if (marks.is_used(i)) continue;
    const std::string& glob = globs[i];
    const std::string members = glob + (glob.ends_with('/') ? "*" : "/*");
    // Whoever asks for both wants a tensor in one place, and the tensors of a container in another.
    if (marks_of_holders.is_used(i) && std::ranges::find(globs, members) != globs.end()) continue;
    notes.push_back(std::string(what) + ": the glob " + glob + " matched nothing");
    if (marks_of_holders.is_used(i))
      notes.back() += " but containers: " + members + " matches their members";
  }
}

bool Filter::is_wanted(const std::string& path, const std::string& other, bool has_children) const {
  const bool is_ignored = this->is_ignored(path, other, has_children);
  return (only_.globs.empty() || only_.match(path, other, has_children)) && !is_ignored;
}

bool Filter::is_ignored(const std::string& path, const std::string& other,
                        bool has_children) const {
  return ignore_.match(path, other, has_children);
}

std::vector<std::string> Filter::unused() const {
  std::vector<std::string> notes;
  only_.add_unused("only", notes);
  ignore_.add_unused("ignore", notes);
  return notes;
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
