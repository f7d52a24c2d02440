/// \file
/// What of two structures is compared, by the globs of a call.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::comparing {

/// Whether a glob of the options is of that path.
bool matches(const std::string& glob, const std::string& text);

/// `CompareOptions::only` and `ignore`, which live longer.
class Filter {
 public:
  Filter(const std::vector<std::string>& only, const std::vector<std::string>& ignore)
      : only_(only), ignore_(ignore) {}

  /// Whether something is compared. \param other its path in b, where it has another
  [[nodiscard]] bool is_wanted(const std::string& path, const std::string& other = {}) const;
  [[nodiscard]] bool is_ignored(const std::string& path, const std::string& other = {}) const;
  [[nodiscard]] bool can_ignore() const noexcept { return !ignore_.empty(); }

 private:
  const std::vector<std::string>& only_;
  const std::vector<std::string>& ignore_;
};

/// What is ignored of containers, whose sizes may differ by it.
class IgnoredChildren {
 public:
  /// \param path of a node that is ignored; counted once
  void add(const std::string& path);
  /// How many nodes right below a path are ignored.
  [[nodiscard]] std::size_t count_in(const std::string& path) const;

 private:
  std::unordered_set<std::string, detail::KeyedHash> paths_;
  std::unordered_map<std::string, std::size_t, detail::KeyedHash> counts_;
};

}  // namespace safestructures::inline v0::comparing
