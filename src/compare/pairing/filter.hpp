/// \file
/// Selects by glob patterns which parts of two structures are compared.
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

/// Whether a glob from the options matches a path.
bool matches(const std::string& glob, const std::string& text);

/// Records which of the options had an effect. Thread-safe.
class UseMarks {
 public:
  explicit UseMarks(std::size_t size) : is_used_(size) {}

  [[nodiscard]] bool is_used(std::size_t place) const noexcept {
    return is_used_[place].load(std::memory_order_relaxed);
  }
  /// Writes only once: threads that mark the same element would contend for the cache line.
  void mark(std::size_t place) noexcept {
    if (!is_used(place)) is_used_[place].store(true, std::memory_order_relaxed);
  }

 private:
  std::vector<std::atomic<bool>> is_used_;
};

/// Applies `CompareOptions::only` and `ignore`, which must outlive it. Notes for each glob whether
/// it matched, even if another one decides.
class Filter {
 public:
  Filter(const std::vector<std::string>& only, const std::vector<std::string>& ignore)
      : only_(only), ignore_(ignore) {}

  /// Whether everything is compared.
  [[nodiscard]] bool empty() const noexcept { return only_.globs.empty() && ignore_.globs.empty(); }
  /// Whether a node is compared. \param other its path in b, if different
  /// \param has_children whether it holds nodes with paths of their own
  [[nodiscard]] bool is_wanted(const std::string& path, const std::string& other = {},
                               bool has_children = false) const;
  [[nodiscard]] bool is_ignored(const std::string& path, const std::string& other = {},
                                bool has_children = false) const;
  [[nodiscard]] bool can_ignore() const noexcept { return !ignore_.globs.empty(); }
  /// Returns a note on each glob that matched nothing, or only nodes that hold others.
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

/// The ignored children of containers, which may change their sizes.
class IgnoredChildren {
 public:
  /// \param path of an ignored node; repeated calls count once
  void add(const std::string& path);
  /// Returns how many direct children of a path are ignored.
  [[nodiscard]] std::size_t count_in(const std::string& path) const;

 private:
  std::unordered_set<std::string, detail::KeyedHash> paths_;
  std::unordered_map<std::string, std::size_t, detail::KeyedHash> counts_;
};

}  // namespace safestructures::inline v0::comparing
