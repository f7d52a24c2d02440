#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/data/error.hpp>
#include <safestructures/tools/verify.hpp>
#include "cli/colour.hpp"
#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "data/printable.hpp"

namespace safestructures::cli {
namespace {

std::string verify(const std::string& name) {
  std::optional<Progress> progress;
  const std::shared_ptr<const Source> source = open_source(name);
  const VerifyReport report = verify_file(
      source,
      {.format = format_of(*source), .progress = [&](std::uint64_t more, std::uint64_t all) {
         if (!progress) progress.emplace("verifying " + name, all);
         progress->add(more);
       }});
  return fmt::format("{}, {}, {}{}", coloured("ok", Role::good, is_coloured(stdout)),
                     detail::counted(report.tensor_count, "tensor"),
                     human_size(report.tensor_bytes),
                     report.has_checksums ? ", checksums match" : "");
}

void verify_all(const std::vector<std::string>& names) {
  Output out(stdout, "the standard output");
  bool all_fine = true;
  for (const std::string& name : names) {
    try {
      const std::string result = verify(name);
      std::string printable;
      detail::append_printable(printable, name);
      out << (name == "-" ? "standard input" : printable) << ": " << result << '\n';
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
  command->add_option("FILE", *files, input_help)->required();
  command->footer(
      "A line for each file: what it holds, or on standard error what is wrong with it.\n"
      "The exit code is 0 when all files are fine, else 1.\n\n"
      "Examples:\n"
      "  safestructures verify model.safetensors\n"
      "  safestructures verify downloads/*.safetensors && echo all fine\n"
      "  curl -s https://example.org/model.safetensors | safestructures verify -");
  command->callback([files] { verify_all(*files); });
}

}  // namespace safestructures::cli
