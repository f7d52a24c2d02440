/// \file
/// Places in a structure, such as `/layers/3/weight`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/limits.hpp>

namespace safestructures::inline v0 {

/// A place in a structure: field names, dict keys and list indices, outermost first.
///
/// As text it is a JSON Pointer (RFC 6901): each step after a `/`, with `~0` for `~` and `~1` for
/// `/` inside a step. The empty text is the root.
class SAFESTRUCTURES_API Path {
 public:
  /// Makes the root.
  Path() = default;
  /// Parses the text form. The leading `/` may be left out; `/` alone is also the root.
  /// \throws Error `invalid_argument` if `~` is not followed by 0 or 1, `limit_exceeded` for more
  /// steps than `limits.depth`
  static Path parse(std::string_view text, const Limits& limits = {});

  /// The unescaped steps; empty for the root. Valid as long as this path is not changed.
  /// @{
  [[nodiscard]] const std::vector<std::string>& steps() const& noexcept { return steps_; }
  [[nodiscard]] std::vector<std::string> steps() && { return std::move(steps_); }
  /// @}
  /// Appends a step; no limit is checked.
  void push_back(std::string step) { steps_.push_back(std::move(step)); }
  /// Removes the last step; must not be called on the root.
  void pop_back() { steps_.pop_back(); }
  /// Returns the text form; `/` for the root, so that it is never empty.
  [[nodiscard]] std::string to_string() const;
  /// Returns the steps joined by dots, as tensors are named; empty for the root.
  [[nodiscard]] std::string dotted() const;

  /// Whether the steps are the same.
  friend bool operator==(const Path&, const Path&) = default;

 private:
  std::vector<std::string> steps_;
};

/// A step of the current path, kept on the walker's stack: it costs nothing until it is printed.
struct Trace {
  const Trace* parent = nullptr;  ///< The previous step; null for the first.
  std::string_view name;          ///< The name of the step if `index` is `npos`.
  std::size_t index = npos;       ///< The position in a list or tuple.
  /// The value of `index` for a step that has a name.
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};

/// Returns the text of the path that ends at `trace`; `/` for null.
SAFESTRUCTURES_API std::string to_string(const Trace* trace);

}  // namespace safestructures::inline v0
