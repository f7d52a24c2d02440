#include "compare/rename.hpp"

#include <algorithm>
#include <cstddef>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::comparing {
namespace {

bool is_path(std::string_view pattern) { return pattern.starts_with('/'); }

}  // namespace

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
      throw Error(ErrorCode::invalid_argument, "a rename cannot be carried out",
                  {.expected = std::move(expected), .found = rule.from + "=" + rule.to});
    };
    if (rule.from.empty() || rule.to.empty()) fail("a name on both sides");
    if (is_path(rule.from) != is_path(rule.to)) fail("paths on both sides, or names on both");
    if (std::ranges::count(rule.from, '*') != std::ranges::count(rule.to, '*'))
      fail("as many * on both sides");
    rules_.push_back({rule});
  }
}

std::optional<std::string> Renames::apply(std::string_view text, bool path) {
  for (Rule& one : rules_) {
    if (is_path(one.rule.from) != path) continue;
    const auto stars = match_stars(one.rule.from, text);
    if (!stars) continue;
    one.is_used = true;
    std::string renamed;
    std::size_t star = 0;
    for (const char c : one.rule.to) {
      if (c == '*') renamed += (*stars)[star++];
      else renamed += c;
    }
    return renamed;
  }
  return std::nullopt;
}

std::vector<std::string> Renames::unused() const {
  std::vector<std::string> notes;
  for (const Rule& one : rules_)
    if (!one.is_used)
      notes.push_back("the rename " + one.rule.from + "=" + one.rule.to + " matched nothing");
  return notes;
}

}  // namespace safestructures::inline v0::comparing
