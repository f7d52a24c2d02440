/// \file
/// What of two structures is compared, by the globs of a call.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::comparing {

/// Whether a glob of the options is of that path.
bool matches(const std::string& glob, const std::string& text);

/// Which of the things that a call says were of any use, for any thread.
class UseMarks {
 public:
  explicit UseMarks(std::size_t size) : is_used_(size) {}

  [[nodiscard]] bool is_used(std::size_t place) const noexcept {
    return is_used_[place].load(std::memory_order_relaxed);
  }
  /// Writes once: threads that mark the same would wait for each other's caches.
  void mark(std::size_t place) noexcept {
    if (!is_used(place)) is_used_[place].store(true, std::memory_order_relaxed);
  }

 private:
  std::vector<std::atomic<bool>> is_used_;
};

/// `CompareOptions::only` and `ignore`, which live longer. What matches is noted of each glob,
/// whether or not another decides.
class Filter {
 public:
  Filter(const std::vector<std::string>& only, const std::vector<std::string>& ignore)
      : only_(only), ignore_(ignore) {}

  /// Whether everything is compared.
  [[nodiscard]] bool empty() const noexcept { return only_.globs.empty() && ignore_.globs.empty(); }
  /// Whether something is compared. \param other its path in b, where it has another
  /// \param has_children whether it holds what has paths of its own
  [[nodiscard]] bool is_wanted(const std::string& path, const std::string& other = {},
                               bool has_children = false) const;
  [[nodiscard]] bool is_ignored(const std::string& path, const std::string& other = {},
                                bool has_children = false) const;
  [[nodiscard]] bool can_ignore() const noexcept { return !ignore_.globs.empty(); }
  /// A note on each glob that matched nothing, or nothing but what holds others.
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  struct Globs {
    explicit Globs(const std::vector<std::string>& all)
        : globs(all), marks(all.size()), marks_of_holders(all.size()) {}
    [[nodiscard]] bool match(const std::string& path, const std::string& other,
                             bool has_children) const;
    void add_unused(std::string_view what, std::vector<std::string>& notes) const;

    const std::vector<std::string>& globs;
    mutable UseMarks marks;
    mutable UseMarks marks_of_holders;
  };

  Globs only_;
  Globs ignore_;
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
