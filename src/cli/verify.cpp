#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/verify.hpp>
#include "cli/console/colour.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/console/progress.hpp"
#include "cli/input.hpp"
#include "data/text/printable.hpp"
#include "recording/recorder/state_notes.hpp"
#include "recording/segments/files.hpp"
#include "recording/segments/segment_order.hpp"

namespace safestructures::cli {
namespace {

VerifyReport check(const std::string& name) {
  std::optional<Progress> progress;
  const std::shared_ptr<const Source> source = open_source(name);
  return verify_file(source, {.format = format_of(*source),
                              .progress = [&](std::uint64_t more, std::uint64_t all) {
                                if (!progress) progress.emplace("verifying " + name, all);
                                progress->add(more);
                              }});
}

std::string verdict(const std::string& what, std::uint64_t bytes, bool has_checksums) {
  return fmt::format("{}, {}, {}{}", coloured("ok", Role::good, is_coloured(stdout)), what,
                     human_size(bytes), has_checksums ? ", checksums match" : "");
}

std::string verify_file_of(const std::string& name) {
  const VerifyReport found = check(name);
  return verdict(detail::counted(found.tensor_count, "tensor"), found.tensor_bytes,
                 found.has_checksums);
}

/// Adds segments after the one that closed a recording, at which reading stops.
void add_behind(const std::string& folder,
                const std::map<std::uint64_t, recording::SegmentFiles>& segments,
                const Recording& run, std::vector<std::string>& problems) {
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

/// \returns nothing if something is wrong; each problem has been reported
std::optional<std::string> verify_recording(const std::string& folder) {
  bool is_fine = true;
  std::size_t sealed = 0;
  std::size_t unsealed = 0;
  std::uint64_t bytes = 0;
  bool has_checksums = true;
  const auto wrong = [&is_fine](const std::string& what) {
    report(what);
    is_fine = false;
  };
  const auto segments = recording::segments_of(folder);
  for (const auto& [number, files] : segments) {
    if (!files.sealed) {
      ++unsealed;
      continue;
    }
    ++sealed;
    try {
      const VerifyReport found = check(recording::sealed_file(folder, number).string());
      bytes += found.tensor_bytes;
      has_checksums = has_checksums && found.has_checksums;
    } catch (const Error& error) {
      wrong(error.what());
    }
  }
  if (!is_fine) return std::nullopt;
  const Recording run(folder, {.access = Access::read});
  std::vector<std::string> problems = run.problems();
  add_behind(folder, segments, run, problems);
  for (const std::string& problem : problems) wrong(fmt::format("{}: {}", folder, problem));
  if (!is_fine) return std::nullopt;
  if (!run.is_closed()) note(fmt::format("{}: {}", folder, recording::not_closed));
  std::string what =
      detail::counted(run.size(), "record") + " in " + detail::counted(sealed, "sealed segment");
  if (unsealed != 0) what += " and one that is not";
  return verdict(what, bytes, has_checksums && sealed != 0);
}

void verify_all(const std::vector<std::string>& names) {
  Output out(stdout, "the standard output");
  bool all_fine = true;
  for (const std::string& name : names) {
    try {
      const std::optional<std::string> result =
          is_recording(name) ? verify_recording(name) : verify_file_of(name);
      if (!result) {
        all_fine = false;
        continue;
      }
      std::string printable;
      detail::append_printable(printable, name);
      out << (name == "-" ? "standard input" : printable) << ": " << *result << '\n';
      out.finish();
    } catch (const Error& error) {
      report(error.what());
      all_fine = false;
    }
  }
  if (!all_fine) throw Reported();
}

}  // namespace

void add_verify(CLI::App& app) {
  const auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      app.add_subcommand("verify", "Check everything in files: header, schema, every tensor");
  command->add_option("FILE", *files, input_or_recording_help())->required();
  command->footer(
      "A line for each file: what it holds, or on standard error what is wrong with it. Of a\n"
      "recording all segments are checked, and that none is missing or stands for another.\n"
      "The exit code is 0 when all files are fine, else 1.\n\n"
      "Examples:\n"
      "  safestructures verify model.safetensors\n"
      "  safestructures verify downloads/*.safetensors && echo all fine\n"
      "  curl -s https://example.org/model.safetensors | safestructures verify -");
  command->callback([files] { verify_all(*files); });
}

}  // namespace safestructures::cli
