/// \file
/// The one walk over a tree: every node with its path.
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
  std::size_t next = 0;  // The child that is visited next.
};

}  // namespace detail

/// Where a walk is. Valid during the visit.
class SAFESTRUCTURES_API Place {
 public:
  /// The node itself, in the tree that is walked.
  [[nodiscard]] const Value& value() const noexcept { return *frames_.back().value; }
  /// Steps from the root, whose depth is 0.
  [[nodiscard]] std::size_t depth() const noexcept { return frames_.size() - 1; }
  /// From the root, such as `/layers/0/weight`. A dict's key has the path of its value; what a
  /// custom value holds, the path of that; an attribute is a step of its name.
  [[nodiscard]] Path path() const;
  /// `path().dotted()`, made at once. \param most bytes of it, of which the rest is left out
  [[nodiscard]] std::string dotted(std::size_t most = std::string::npos) const;

 private:
  template <class Visit>
  void for_each_step(const Visit& visit) const;
  friend class Walk;
  explicit Place(const std::vector<detail::WalkFrame>& frames) noexcept : frames_(frames) {}
  const std::vector<detail::WalkFrame>& frames_;
};

/// Where a walk goes from a node.
enum class Next : std::uint8_t {
  into,  ///< to what it holds
  over,  ///< past what it holds
  stop,  ///< nowhere: the walk ends
};

/// Visits every node, each before what it holds, in order: items; the entries of dicts, a key that
/// is no scalar or str before its value; fields; payloads; attributes, after all of these. Needs
/// memory in proportion to the depth and no stack, however deep the tree.
SAFESTRUCTURES_API void walk(const Value& root, const std::function<Next(const Place&)>& visit);

/// The same for a visitor that may change the values, but not add or remove any. Keys are not
/// visited: what finds them must not change.
SAFESTRUCTURES_API void walk(Value& root, const std::function<Next(Value&, const Place&)>& visit);

}  // namespace safestructures::inline v0
