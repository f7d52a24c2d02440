#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/recording/verify_recording.hpp>
#include <safestructures/tools/verify.hpp>
#include "cli/console/colour.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/console/progress.hpp"
#include "cli/input.hpp"
#include "data/text/printable.hpp"

namespace safestructures::cli {
namespace {

std::string verdict(const std::string& what, std::uint64_t bytes, bool has_checksums) {
  return fmt::format("{}, {}, {}{}", coloured("ok", Role::good, is_coloured(stdout)), what,
                     human_size(bytes), has_checksums ? ", checksums match" : "");
}

std::string verify_file_of(const std::string& name) {
  std::optional<Progress> progress;
  const std::shared_ptr<const Source> source = open_source(name);
  const auto tell = [&](std::uint64_t more, std::uint64_t all) {
    if (!progress) progress.emplace("verifying " + name, all);
    progress->add(more);
  };
  const VerifyReport found = verify_file(source, {.format = format_of(*source), .progress = tell});
  return verdict(detail::counted(found.tensor_count, "tensor"), found.tensor_bytes,
                 found.has_checksums);
}

/// \returns nothing if something is wrong; each problem has been reported
std::optional<std::string> verify_recording_of(const std::string& folder) {
  std::optional<Progress> progress;
  std::filesystem::path shown;
  const auto tell = [&](const std::filesystem::path& file, std::uint64_t more, std::uint64_t all) {
    if (shown != file) progress.emplace("verifying " + file.string(), all);
    shown = file;
    progress->add(more);
  };
  const VerifyRecordingReport found = verify_recording(folder, {.progress = tell});
  progress.reset();
  for (const std::string& problem : found.problems) report(problem);
  if (!found.is_fine()) return std::nullopt;
  if (!found.is_closed) note(folder + ": the recording was not closed, so records may be missing");
  std::string what = detail::counted(found.records, "record") + " in " +
                     detail::counted(found.sealed, "sealed segment");
  if (found.unsealed != 0) what += " and one unsealed";
  return verdict(what, found.bytes, found.has_checksums);
}

void verify_all(const std::vector<std::string>& names) {
  Output out(stdout, "the standard output");
  bool all_fine = true;
  for (const std::string& name : names) {
    try {
      const std::optional<std::string> result =
          names_recording(name) ? verify_recording_of(name) : verify_file_of(name);
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
      app.add_subcommand("verify", "Check files completely: header, schema and every tensor");
  command->add_option("FILE", *files, input_or_recording_help())->required();
  command->footer(
      "Prints a line for each file: its contents, or, on standard error, what is wrong\n"
      "with it. For a recording, every segment is checked, and that none is missing or\n"
      "replaced by another. The exit code is 0 if all files are in order, else 1.\n\n"
      "Examples:\n"
      "  safestructures verify model.safetensors\n"
      "  safestructures verify downloads/*.safetensors && echo all fine\n"
      "  curl -s https://example.org/model.safetensors | safestructures verify -");
  command->callback([files] { verify_all(*files); });
}

}  // namespace safestructures::cli
