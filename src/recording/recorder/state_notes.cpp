#include "recording/recorder/state_notes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace safestructures::inline v0::recording {
namespace {

constexpr std::string_view list_key = "\"left_out\": ";
constexpr std::string_view counts_key = "\"counts\": ";

/// Returns what a recorder left out, as JSON; empty if nothing.
std::string_view left_out(std::string_view about) {
  if (const std::size_t at = about.find(list_key); at != std::string_view::npos) {
    const std::string_view list = about.substr(at + list_key.size());
    // The enclosing object ends after it.
    return list.starts_with("{}") ? std::string_view() : list.substr(0, list.size() - 1);
  }
  // If a list of many names does not fit into a segment, only their total counts are there.
  const std::size_t at = about.find(counts_key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = about.substr(at + counts_key.size());
  const std::string_view counts = rest.substr(0, rest.find('}') + 1);
  constexpr std::array<std::string_view, 5> reasons = {"filtered", "dropped", "thinned", "limited",
                                                       "failed"};
  const bool is_any = std::ranges::any_of(reasons, [&](std::string_view reason) {
    return counts.find(reason) != std::string_view::npos;
  });
  return is_any ? counts : std::string_view();
}

}  // namespace

std::vector<std::string> notes_of(const Recording& recording) {
  std::vector<std::string> notes = recording.problems();
  if (!recording.is_closed()) notes.emplace_back(not_closed);
  if (const std::string_view what = left_out(recording.about()); !what.empty())
    notes.push_back("the recorder left out or thinned records: " + std::string(what));
  return notes;
}

}  // namespace safestructures::inline v0::recording
