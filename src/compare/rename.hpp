/// \file
/// Names in one structure, and what they are in the other.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/compare/options.hpp>

namespace safestructures::inline v0::comparing {

/// The rules of a comparison, and which of them were of use.
class Renames {
 public:
  /// \throws Error `invalid_argument` for a rule that cannot be
  explicit Renames(std::span<const RenameRule> rules);

  [[nodiscard]] bool empty() const noexcept { return rules_.empty(); }
  /// What the first rule that matches makes of a path, or of a name or dotted path.
  [[nodiscard]] std::optional<std::string> path(std::string_view path) { return apply(path, true); }
  [[nodiscard]] std::optional<std::string> name(std::string_view name) {
    return apply(name, false);
  }
  /// `rename A=B matched nothing`, for each such rule.
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  struct Rule {
    RenameRule rule;
    bool is_used = false;
  };
  std::optional<std::string> apply(std::string_view text, bool is_path);

  std::vector<Rule> rules_;
};

/// What each `*` of a pattern stands for where it matches a text: as little as can be, from the
/// left.
std::optional<std::vector<std::string_view>> match_stars(std::string_view pattern,
                                                         std::string_view text);

}  // namespace safestructures::inline v0::comparing
