#include "cli/show_recording.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/console/colour.hpp"
#include "cli/console/output.hpp"
#include "cli/input.hpp"
#include "data/text/printable.hpp"
#include "recording/record_table.hpp"
#include "recording/segments/files.hpp"

namespace safestructures::cli {
namespace {

using recording::RecordTable;

/// The records of one name.
struct Named {
  std::size_t first = 0;
  std::size_t count = 0;
  std::int64_t least_step = 0;
  std::int64_t most_step = 0;
};

std::vector<Named> count_by_name(const RecordTable& table) {
  std::vector<Named> found(table.names().size());
  for (const RecordTable::Part& part : table.parts()) {
    const recording::ReadColumns& columns = part.segment->columns();
    for (std::size_t i = part.skipped; i < part.segment->size(); ++i) {
      Named& one = found[part.names[columns.name[i]]];
      const std::int64_t step = columns.step[i];
      if (one.count++ == 0) one = {part.begin + i - part.skipped, 1, step, step};
      one.least_step = std::min(one.least_step, step);
      one.most_step = std::max(one.most_step, step);
    }
  }
  return found;
}

/// Returns a line with the content of a record, and a summary of all records of its name.
std::string name_line(const Record& first, const Named& named) {
  std::string line;
  detail::append_printable(line, first.name());
  line +=
      fmt::format(": {}, {}, {}", describe(first.value()), detail::counted(named.count, "record"),
                  range_text("step", named.least_step, named.most_step));
  if (first.kept() != Keep::full) line += fmt::format(", kept: {}", to_string(first.kept()));
  return line;
}

/// Returns the files of segments, sealed or not.
std::vector<std::filesystem::path> files_of(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& [number, found] : recording::list_segments(folder))
    files.push_back(found.sealed ? recording::sealed_file(folder, number)
                                 : recording::part_file(folder, number));
  return files;
}

}  // namespace

void print_recording(std::ostream& out, const Recording& run, const std::string& folder,
                     const PrintOptions& options, bool is_coloured) {
  const auto title = [&](std::string_view text) {
    return coloured(text, Role::label, is_coloured);
  };
  const RecordTable& table = RecordTable::of(run);
  const std::vector<Named> named = count_by_name(table);
  const std::vector<std::filesystem::path> files = files_of(folder);
  std::string name;
  detail::append_printable(name, folder);
  out << title("recording") << " " << name << ", " << human_size(size_on_disk(files)) << " in "
      << detail::counted(files.size(), "segment") << '\n'
      << title("records") << "   " << run.size();
  if (!run.empty()) {
    const std::vector<std::int64_t> steps = run.steps();
    out << ", " << range_text("step", steps.front(), steps.back());
  }
  out << "\n\n" << detail::counted(named.size(), "name") << '\n';
  const std::size_t shown =
      options.depth == 0 ? 0 : std::min<std::size_t>(named.size(), options.items);
  for (std::size_t i = 0; i < shown; ++i)
    out << (i + 1 == named.size() ? "└─ " : "├─ ") << name_line(run[named[i].first], named[i])
        << '\n';
  if (shown < named.size() && shown != 0) out << "└─ ... " << named.size() - shown << " more\n";
  else if (shown < named.size()) out << "└─ ...\n";
}

}  // namespace safestructures::cli
