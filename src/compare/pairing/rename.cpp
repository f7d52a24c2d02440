#include "compare/pairing/rename.hpp"

#include <algorithm>
#include <cstddef>

#include <safestructures/compare/renames.hpp>
#include <safestructures/data/error.hpp>
#include "data/text/printable.hpp"

namespace safestructures::inline v0 {
namespace {

bool is_path(std::string_view pattern) { return pattern.starts_with('/'); }

/// Whether a rule can be written as a line: reading it gives the same rule, and it is shown
/// exactly.
bool can_be_line(std::string_view from, std::string_view to) {
  return !from.starts_with('#') && from.find('=') == std::string_view::npos &&
         detail::printable(from) == from && detail::printable(to) == to;
}

/// Whether a rule maps one name to another, without a pattern.
bool can_be_rule(std::string_view from, std::string_view to) {
  return !from.empty() && !to.empty() && is_path(from) == is_path(to) &&
         from.find('*') == std::string_view::npos && to.find('*') == std::string_view::npos;
}

/// Returns a comment on one line.
std::string comment(std::string_view text) { return "# " + detail::printable(text) + "\n"; }

/// Shortens a line for display; the file may be anything.
std::string shown(std::string_view line) {
  constexpr std::size_t most = 80;
  return detail::printable(detail::shortened(line, most));
}

std::string line_of(const std::string& from, const std::string& to, bool can_be_said) {
  const std::string rule = from + "=" + to;
  return can_be_said ? rule + "\n" : comment("no rule can say: " + rule);
}

}  // namespace

std::vector<RenameRule> parse_renames(std::string_view text, const std::string& name) {
  std::vector<RenameRule> rules;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos)
      throw Error(ErrorCode::invalid_argument, "a line is not a rename rule",
                  {.file = name,
                   .path = "line " + std::to_string(number),
                   .expected = "A=B, a comment that begins with #, or nothing",
                   .found = shown(line)});
    rules.push_back({std::string(line.substr(0, equals)), std::string(line.substr(equals + 1))});
  }
  return rules;
}

std::string format_renames(std::span<const RenameRule> rules,
                           std::span<const RenameSuggestion> suggestions) {
  std::string text;
  for (const RenameRule& rule : rules)
    text += line_of(rule.from, rule.to, can_be_line(rule.from, rule.to));
  for (const RenameSuggestion& one : suggestions)
    text +=
        comment(one.reason) +
        line_of(one.from, one.to, can_be_line(one.from, one.to) && can_be_rule(one.from, one.to));
  return text;
}

}  // namespace safestructures::inline v0

namespace safestructures::inline v0::comparing {

std::optional<std::vector<std::string_view>> match_stars(std::string_view pattern,
                                                         std::string_view text) {
  std::vector<std::string_view> found;
  const std::size_t first = pattern.find('*');
  if (first == std::string_view::npos) return pattern == text ? std::optional(found) : std::nullopt;
  if (!text.starts_with(pattern.substr(0, first))) return std::nullopt;
  text.remove_prefix(first);
  pattern.remove_prefix(first + 1);
  for (std::size_t star = 0; (star = pattern.find('*')) != std::string_view::npos;) {
    const std::size_t at = text.find(pattern.substr(0, star));
    if (at == std::string_view::npos) return std::nullopt;
    found.push_back(text.substr(0, at));
    text.remove_prefix(at + star);
    pattern.remove_prefix(star + 1);
  }
  if (!text.ends_with(pattern)) return std::nullopt;
  found.push_back(text.substr(0, text.size() - pattern.size()));
  return found;
}

Renames::Renames(std::span<const RenameRule> rules) {
  for (const RenameRule& rule : rules) {
    const auto fail = [&](std::string expected) {
      throw Error(ErrorCode::invalid_argument, "a rename rule is not valid",
                  {.expected = std::move(expected), .found = rule.from + "=" + rule.to});
    };
    if (rule.from.empty() || rule.to.empty()) fail("a name on both sides");
    if (is_path(rule.from) != is_path(rule.to)) fail("paths on both sides, or names on both sides");
    if (std::ranges::count(rule.from, '*') != std::ranges::count(rule.to, '*'))
      fail("the same number of * on both sides");
    if (rule.from.find('*') == std::string::npos) plain_.emplace(rule.from, rules_.size());
    else patterns_.push_back(rules_.size());
    rules_.push_back({rule});
  }
}

Renames::Renamed Renames::renamed(Rule& rule, std::span<const std::string_view> stars) {
  rule.is_matched = true;
  std::string text;
  std::size_t star = 0;
  for (const char c : rule.rule.to) {
    if (c == '*') text += stars[star++];
    else text += c;
  }
  return {std::move(text), rule};
}

std::optional<Renames::Renamed> Renames::apply(std::string_view text, bool path) {
  // A name may look like a path, but rules for paths do not apply to it.
  const auto plain = is_path(text) == path ? plain_.find(text) : plain_.end();
  const std::size_t end = plain == plain_.end() ? rules_.size() : plain->second;
  for (const std::size_t place : patterns_) {
    if (place > end) break;
    Rule& one = rules_[place];
    if (is_path(one.rule.from) != path) continue;
    if (const auto stars = match_stars(one.rule.from, text)) return renamed(one, *stars);
  }
  if (plain == plain_.end()) return std::nullopt;
  return renamed(rules_[end], {});
}

std::vector<std::string> Renames::unused() const {
  std::vector<std::string> notes;
  for (const Rule& one : rules_)
    if (!one.is_used)
      notes.push_back("the rename " + one.rule.from + "=" + one.rule.to +
                      (one.is_matched ? " paired nothing" : " matched nothing"));
  return notes;
}

}  // namespace safestructures::inline v0::comparing
