#include <safestructures/recording/options.hpp>

#include <array>
#include <utility>

namespace safestructures::inline v0 {
namespace {

std::string line_of(const RecordCounts& counts) {
  std::string text = std::to_string(counts.kept) + " of " + std::to_string(counts.calls) +
                     (counts.calls == 1 ? " record kept" : " records kept");
  const std::array<std::pair<std::uint64_t, std::string_view>, 5> losses = {{
      {counts.filtered, "filtered"},
      {counts.dropped, "dropped"},
      {counts.thinned, "as statistics only"},
      {counts.limited, "beyond the limit"},
      {counts.failed, "failed"},
  }};
  for (const auto& [count, what] : losses)
    if (count != 0) text += ", " + std::to_string(count) + " " + std::string(what);
  return text;
}

bool has_losses(const RecordCounts& counts) {
  return counts.dropped + counts.thinned + counts.limited + counts.failed != 0;
}

}  // namespace

std::string_view to_string(Keep keep) noexcept {
  switch (keep) {
    case Keep::full: return "full";
    case Keep::slice: return "slice";
    case Keep::statistics: return "statistics";
    case Keep::none: return "none";
  }
  return "";
}

std::string to_string(const RecorderReport& report) {
  std::string text = line_of(report.all);
  for (const auto& [name, counts] : report.names)
    if (has_losses(counts)) text += "\n" + name + ": " + line_of(counts);
  if (!report.error.empty()) text += "\n" + report.error;
  return text;
}

}  // namespace safestructures::inline v0
