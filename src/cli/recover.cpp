#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/data/error.hpp>
#include <safestructures/recording/recover.hpp>
#include "cli/console/colour.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/console/progress.hpp"
#include "data/text/printable.hpp"

namespace safestructures::cli {
namespace {

void recover(const std::string& folder) {
  RecoveryReport result;
  std::optional<Progress> progress;
  const auto tell = [&](std::uint64_t more, std::uint64_t all) {
    if (!progress) progress.emplace("recovering " + folder, all);
    progress->add(more);
  };
  try {
    result = recover_recording(folder, {.progress = tell});
    progress.reset();
  } catch (const Error& error) {
    // Whatever failed, the state of the recording is unknown.
    throw CallError(error.what());
  }
  Output out(stdout, "the standard output");
  for (const std::string& line : result.notes) out << detail::printable(line) << '\n';
  const std::string segments = detail::counted(result.sealed + result.repaired, "segment");
  if (result.is_clean())
    out << fmt::format("{}, {}, nothing to recover\n",
                       coloured("ok", Role::good, is_coloured(stdout)), segments);
  else
    out << fmt::format("{}, {} recovered, {} lost\n", segments,
                       detail::counted(result.recovered, "record"), result.lost);
  out.finish();
  if (!result.is_lossy()) return;
  for (const std::string& line : result.losses) report(line);
  throw Reported();
}

}  // namespace

void add_recover(CLI::App& app) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("recover", "Recover a recording whose program crashed or was killed");
  command->add_option("RUN", *folder, "The folder of a recording")->required();
  command->footer(
      "Seals the segment that was being written, with every complete record in it.\n"
      "Running it again is harmless. A recording that is still being written is\n"
      "refused. The exit code is 0 if nothing was lost, 1 if records are damaged or\n"
      "missing (standard error says which), and 2 if the recovery failed.\n\n"
      "Examples:\n"
      "  safestructures recover run\n"
      "  safestructures recover run && safestructures verify run");
  command->callback([folder] { recover(*folder); });
}

}  // namespace safestructures::cli
