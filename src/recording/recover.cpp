#include <safestructures/recording/recover.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/document.hpp>
#include "platform/memory.hpp"
#include "platform/os.hpp"
#include "recording/repair.hpp"
#include "recording/segments/files.hpp"
#include "recording/segments/segment.hpp"
#include "recording/segments/segment_order.hpp"

namespace safestructures::inline v0 {
namespace {

/// \param columns for its columns \throws Error that names the file
recording::Segment read_sealed(const std::filesystem::path& path, const RecoverOptions& options,
                               platform::SharedBlocks& columns) {
  try {
    return recording::Segment(
        Document::open(path, {.format = formats::safestructures(), .limits = options.limits}), path,
        columns);
  } catch (const Error& error) {
    throw error.with_file(path.string());
  }
}

/// Returns why a sealed file cannot be read as a segment; null if it can.
std::optional<Error> fault_of(const std::filesystem::path& path, const RecoverOptions& options) {
  try {
    platform::SharedBlocks columns;
    static_cast<void>(read_sealed(path, options, columns));
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

/// Checks the files next to a sealed one, which may be all that is left of the segment's records:
/// if the sealed file is damaged or not the recorder's, they stay. \returns false in that case
bool check_sealed(const std::filesystem::path& folder, std::uint64_t segment,
                  const recording::SegmentFiles& files, const RecoverOptions& options,
                  RecoveryReport& report) {
  const std::string part = recording::part_file(folder, segment).filename().string();
  const std::filesystem::path path = recording::journal_file(folder, segment);
  const std::string journal = path.filename().string();
  const auto fault = files.journal ? fault_of(recording::sealed_file(folder, segment), options)
                                   : std::optional<Error>();
  if (fault && !files.part && fault->code() == ErrorCode::unsupported_version) {
    // It may be whole, which who knows its layout can tell, and the journal is what is left of it.
    report.losses.push_back(fault->what());
  } else if (fault) {
    const std::string advice =
        files.part
            ? part + " and " + journal + " may have its records: move this file out of the folder"
            : journal + " may have its records: rename this file to " + part;
    report.losses.push_back(fault->what() + (" " + advice) + ", and recover again");
  } else if (files.part) {
    report.losses.push_back(part + ": there is already a sealed segment with its number");
  } else if (files.journal) {
    platform::os::remove(path);
    report.notes.push_back(journal + ": left over from a sealed segment, removed");
  }
  return !fault;
}

/// The numbers of segments that were sealed before, ascending.
struct Sealed {
  std::vector<std::uint64_t> known;   // Not yet read, or in order.
  std::vector<std::uint64_t> faulty;  // Already reported.
};

/// Adds which sealed segments cannot be read, and which contradict those before them or come after
/// the one that closed the recording, where reading ends.
void check_each(const std::filesystem::path& folder, const Sealed& sealed,
                const RecoverOptions& options, RecoveryReport& report) {
  recording::SegmentOrder order;
  std::uint64_t last = 0;  // The one before.
  for (const auto& [number, files] : recording::list_segments(folder)) {
    if (!files.sealed || std::ranges::binary_search(sealed.faulty, number)) continue;
    const std::filesystem::path path = recording::sealed_file(folder, number);
    if (order.is_closed()) {
      report.losses.push_back(recording::behind_text(path, last));
      continue;
    }
    last = number;
    try {
      platform::SharedBlocks columns;
      const recording::Segment segment = read_sealed(path, options, columns);
      for (std::string& fault :
           order.add(number, path, segment.about(), segment.columns().sequence))
        report.losses.push_back(std::move(fault));
    } catch (const Error& error) {
      report.losses.emplace_back(error.what());
      if (std::ranges::binary_search(sealed.known, number)) --report.sealed;
    }
  }
}

/// Adds contradictions between segments.
void check_order(const std::filesystem::path& folder, const Sealed& sealed,
                 const RecoverOptions& options, RecoveryReport& report) {
  // Of faulty segments, and of those that are still not sealed, a run would say what was already
  // reported.
  bool is_reported = !sealed.faulty.empty();
  for (const auto& [segment, files] : recording::list_segments(folder))
    if (!files.sealed) is_reported = true;
  if (is_reported) return check_each(folder, sealed, options, report);
  try {
    const Recording run(folder, {.access = Access::read, .limits = options.limits});
    const std::unordered_set<std::string> known(report.losses.begin(), report.losses.end());
    for (const std::string& problem : run.problems())
      if (!known.contains(problem)) report.losses.push_back(problem);
  } catch (const Error& error) {
    // Reading stops at the first segment that is damaged, which may not be the only one.
    const std::size_t before = report.losses.size();
    check_each(folder, sealed, options, report);
    if (report.losses.size() == before) report.losses.emplace_back(error.what());
  }
}

}  // namespace

RecoveryReport recover_recording(const std::filesystem::path& folder,
                                 const RecoverOptions& options) {
  // A folder that is not a recording must not get a lock file.
  static_cast<void>(recording::segments_of(folder));
  const recording::FolderLock lock(folder, "the recording is still being written");
  RecoveryReport report;
  if (const std::filesystem::path path = recording::new_file(folder); recording::status_of(path)) {
    platform::os::remove(path);
    if (recording::status_of(path))
      report.losses.push_back(path.filename().string() +
                              ": cannot be removed, and is in the way of a recorder");
    else
      report.notes.push_back("no record was finished in " + path.filename().string() +
                             ", which is removed");
  }
  recording::RepairProgress progress(options, folder);
  std::uint64_t expected = 1;
  Sealed sealed;
  for (const auto& [segment, files] : recording::list_segments(folder)) {
    if (segment != expected)
      report.losses.push_back(recording::missing_text(expected, segment - 1));
    expected = segment + 1;
    if (recording::is_to_repair(files)) {
      recording::Repair(folder, segment, options, progress, report).run();
      continue;
    }
    if (!files.sealed) {
      report.losses.push_back(recording::part_file(folder, segment).filename().string() +
                              ": there is no journal that says what is in it");
    } else if (check_sealed(folder, segment, files, options, report)) {
      ++report.sealed;
      sealed.known.push_back(segment);
    } else {
      sealed.faulty.push_back(segment);
    }
  }
  check_order(folder, sealed, options, report);
  return report;
}

}  // namespace safestructures::inline v0
