/// \file
/// The traversal of a tree: every node with its path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>

namespace safestructures::inline v0 {

namespace detail {

/// A node on the way from the root to the current one.
struct WalkFrame {
  const Value* value;
  std::size_t next = 0;  // The child to visit next.
};

}  // namespace detail

/// The current position of a walk. Valid during the visit.
class SAFESTRUCTURES_API Place {
 public:
  /// The node itself, in the tree that is being walked.
  [[nodiscard]] const Value& value() const noexcept { return *frames_.back().value; }
  /// The number of levels below the root, which has depth 0.
  [[nodiscard]] std::size_t depth() const noexcept { return frames_.size() - 1; }
  /// Returns the path from the root, such as `/layers/0/weight`. A dict's key has the path of its
  /// value, and a payload that of its custom value; an attribute is a step with its name.
  [[nodiscard]] Path path() const;
  /// Returns `path().dotted()` directly. \param most the number of bytes after which it is cut off
  [[nodiscard]] std::string dotted(std::size_t most = std::string::npos) const;

 private:
  template <class Visit>
  void for_each_step(const Visit& visit) const;
  friend class Walk;
  explicit Place(const std::vector<detail::WalkFrame>& frames) noexcept : frames_(frames) {}
  const std::vector<detail::WalkFrame>& frames_;
};

/// Where a walk continues after visiting a node.
enum class Next : std::uint8_t {
  into,  ///< to the parts of the node
  over,  ///< past the parts of the node
  stop,  ///< nowhere: the walk ends
};

/// Visits every node in order, before its parts: items; the values of dicts, each after its key
/// (but scalar and str keys are not visited); fields; payloads; and after all of these, attributes.
/// Needs memory proportional to the depth but no stack, however deep the tree.
SAFESTRUCTURES_API void walk(const Value& root, const std::function<Next(const Place&)>& visit);

/// The same for a visitor that may change values, but not add or remove any. Keys are not visited,
/// because dicts could no longer find them if they changed.
SAFESTRUCTURES_API void walk(Value& root, const std::function<Next(Value&, const Place&)>& visit);

}  // namespace safestructures::inline v0
