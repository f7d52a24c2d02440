#include <safestructures/recording/verify_recording.hpp>

#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include <safestructures/data/error.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/verify.hpp>
#include "recording/segments/files.hpp"
#include "recording/segments/segment_about.hpp"
#include "recording/segments/segment_order.hpp"

namespace safestructures::inline v0 {
namespace {

using Segments = std::map<std::uint64_t, recording::SegmentFiles>;

void verify_segments(const std::filesystem::path& folder, const Segments& segments,
                     const VerifyRecordingOptions& options, VerifyRecordingReport& report) {
  std::size_t with_checksums = 0;
  for (const auto& [number, files] : segments) {
    if (!files.sealed) {
      ++report.unsealed;
      continue;
    }
    ++report.sealed;
    const std::filesystem::path file = recording::sealed_file(folder, number);
    VerifyOptions how = {.limits = options.limits};
    if (options.progress)
      how.progress = [&](std::uint64_t more, std::uint64_t all) {
        options.progress(file, more, all);
      };
    try {
      const VerifyReport found = verify_file(file, how);
      report.bytes += found.tensor_bytes;
      if (found.has_checksums) ++with_checksums;
    } catch (const Error& error) {
      report.problems.emplace_back(error.what());
    }
  }
  report.has_checksums = report.sealed != 0 && with_checksums == report.sealed;
}

/// Adds a problem for each segment after the one that closed the recording, where reading stops.
void add_behind(const std::filesystem::path& folder, const Segments& segments, const Recording& run,
                std::vector<std::string>& problems) {
  const std::optional<std::uint64_t> last = recording::read_about(run.about()).segment;
  if (!run.is_closed() || !last) return;
  std::unordered_set<std::string> known(problems.begin(), problems.end());
  for (auto next = segments.upper_bound(*last); next != segments.end(); ++next) {
    const auto& [number, files] = *next;
    const auto file = files.sealed ? recording::sealed_file(folder, number)
                      : files.part ? recording::part_file(folder, number)
                                   : recording::journal_file(folder, number);
    std::string text = recording::behind_text(file, *last);
    if (known.insert(text).second) problems.push_back(std::move(text));
  }
}

void verify_order(const std::filesystem::path& folder, const Segments& segments,
                  const VerifyRecordingOptions& options, VerifyRecordingReport& report) {
  const Recording run(folder, {.access = Access::read, .limits = options.limits});
  report.records = run.size();
  report.is_closed = run.is_closed();
  std::vector<std::string> problems = run.problems();
  add_behind(folder, segments, run, problems);
  for (const std::string& problem : problems)
    report.problems.push_back(folder.string() + ": " + problem);
}

}  // namespace

VerifyRecordingReport verify_recording(const std::filesystem::path& folder,
                                       const VerifyRecordingOptions& options) {
  VerifyRecordingReport report;
  const Segments segments = recording::segments_of(folder);
  verify_segments(folder, segments, options, report);
  if (!report.is_fine()) return report;
  try {
    verify_order(folder, segments, options, report);
  } catch (const Error& error) {
    report.problems.emplace_back(error.what());
  }
  return report;
}

}  // namespace safestructures::inline v0
