#include "data/text/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace safestructures::inline v0::detail {
namespace {

constexpr std::size_t longest = 64;

/// Returns the number of insertions, deletions, substitutions and swaps of adjacent characters that
/// turn one text into the other. Both have at most `longest` bytes.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::array<std::array<std::size_t, longest + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    const auto& two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> candidates) {
  if (name.empty() || name.size() > longest) return std::nullopt;
  // Two typos in a name of six letters are a misspelling, in one of three a different name.
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::optional<std::string_view> nearest;
  for (const std::string_view candidate :
       candidates.first(std::min<std::size_t>(candidates.size(), 1000))) {
    if (candidate.size() > longest) continue;
    const std::size_t distance = edit_distance(name, candidate);
    // Of x and y, no letter is the same.
    if (distance >= std::min(best, std::max(name.size(), candidate.size()))) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string list_names(std::span<const std::string_view> names) {
  constexpr std::size_t shown = 12;
  std::string text;
  for (const std::string_view name : names.first(std::min(names.size(), shown))) {
    if (!text.empty()) text += ", ";
    text += '\'';
    text += name.substr(0, longest);
    text += name.size() > longest ? "...'" : "'";
  }
  if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

}  // namespace safestructures::inline v0::detail
