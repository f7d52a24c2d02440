/// \file
/// Maps names in one structure to names in the other.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <safestructures/compare/options.hpp>
#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::comparing {

/// The rename rules of a comparison, and which of them were used.
class Renames {
  struct Rule {
    RenameRule rule;
    bool is_matched = false;
    bool is_used = false;
  };

 public:
  /// A text renamed by a rule.
  class Renamed {
   public:
    Renamed(std::string text, Rule& rule) : text_(std::move(text)), rule_(&rule) {}
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// Marks the rule as used: something in b has that name.
    void use() const noexcept { rule_->is_used = true; }

   private:
    std::string text_;
    Rule* rule_;
  };

  /// \throws Error `invalid_argument` for an invalid rule
  explicit Renames(std::span<const RenameRule> rules);

  [[nodiscard]] bool empty() const noexcept { return rules_.empty(); }
  /// Applies the first matching rule to a path, or to a name or dotted path.
  [[nodiscard]] std::optional<Renamed> path(std::string_view path) { return apply(path, true); }
  [[nodiscard]] std::optional<Renamed> name(std::string_view name) { return apply(name, false); }
  /// Returns `the rename A=B matched nothing` for each unused rule.
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  std::optional<Renamed> apply(std::string_view text, bool is_path);
  /// \param stars the text that each `*` of the rule stands for
  static Renamed renamed(Rule& rule, std::span<const std::string_view> stars);

  std::vector<Rule> rules_;
  std::vector<std::size_t> patterns_;  // Indices of the rules with `*`, in order.
  // For rules without `*`, the first one for each text: a file may have a rule for each of many
  // names.
  std::unordered_map<std::string, std::size_t, detail::KeyedHash, std::equal_to<>> plain_;
};

/// Returns what each `*` of a pattern stands for, as short as possible from the left; null if the
/// text does not match.
std::optional<std::vector<std::string_view>> match_stars(std::string_view pattern,
                                                         std::string_view text);

}  // namespace safestructures::inline v0::comparing
