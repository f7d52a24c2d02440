#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/tools/convert.hpp>
#include <safestructures/tools/document.hpp>
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "data/printable.hpp"

namespace safestructures::cli {
namespace {

struct ConvertOptions {
  std::string input;
  std::string output;
  std::string precision;
  SaveOptions save = {.precision = Precision::preserve};
};

const std::map<std::string, Precision> precisions = {{"preserve", Precision::preserve},
                                                     {"f32", Precision::f32},
                                                     {"f16", Precision::f16},
                                                     {"bf16", Precision::bf16},
                                                     {"f64", Precision::f64}};

void report_losses(const std::vector<ConvertedTensor>& conversions) {
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(most, conversions.size()); ++i) {
    const ConversionReport& lost = conversions[i].report;
    std::string text;
    const auto add = [&](std::uint64_t count, std::string_view what) {
      if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
    };
    add(lost.overflow, "beyond the range");
    add(lost.underflow, "became 0");
    add(lost.inexact, "rounded");
    add(lost.nan_changes, "NaN changed");
    report(fmt::format("note: values of {}: {}.", conversions[i].name, text));
  }
  if (conversions.size() > most)
    report(fmt::format("note: values of {} more tensors were changed as well.",
                       conversions.size() - most));
}

void convert(const ConvertOptions& options) {
  const Document document = Document::open(options.input);
  const Content& content = document.content();
  SaveReport saved;
  {
    const Progress progress("converting " + options.input, content.tensor_bytes, false);
    saved = blame_arguments([&] { return convert_file(document, options.output, options.save); });
  }
  report_losses(saved.conversions);
  std::string name;
  detail::append_printable(name, options.output);
  if (options.save.shard_size != 0 && !name.ends_with(".index.json"))
    name += name.ends_with(".safetensors") ? ".index.json" : ".safetensors.index.json";
  Output out(stdout, "the standard output");
  out << fmt::format("{}: written, {}, {}\n", name, counted(content.tensor_count, "tensor"),
                     human_size(saved.bytes));
  out.finish();
}

}  // namespace

void add_convert(CLI::App& app) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App* command =
      app.add_subcommand("convert", "Save a file again: other precision, shards, a single file");
  command->add_option("IN", options->input, "A safetensors file, or the .index.json of several")
      ->required();
  command->add_option("OUT", options->output, "The file to write; may be IN")->required();
  command
      ->add_option(
          "--precision", options->precision,
          "How floating-point tensors are stored: preserve (as they are, the default), f32,\n"
          "f16, bf16 or f64")
      ->option_text("PRECISION")
      ->check(CLI::IsMember(&precisions, CLI::ignore_case).description(""));
  const std::map<std::string, Overflow> overflows = {
      {"error", Overflow::error}, {"saturate", Overflow::saturate}, {"allow", Overflow::allow}};
  command
      ->add_option(
          "--overflow", options->save.overflow,
          "What to do with numbers beyond the range of the new dtype: error (the default),\n"
          "saturate (the largest number it has) or allow (infinity)")
      ->option_text("ACTION")
      ->transform(CLI::Transformer(overflows, CLI::ignore_case).description(""));
  command
      ->add_option("--shard-size", options->save.shard_size,
                   "Split into files of at most this size, such as 2GB, and an index")
      ->transform(CLI::AsSizeValue(true).description(""))
      ->option_text("SIZE");
  command->add_flag("--lossless", options->save.lossless,
                    "Refuse to change a number by more than rounding");
  command->add_flag("--checksums", options->save.checksums,
                    "Store checksums, which verify compares; a file that has them keeps them");
  command->add_flag("--durable", options->save.durable,
                    "Return when the file would survive a loss of power");
  command->footer(
      "Everything is kept: structure, types, names, metadata, tensors that the structure does not\n"
      "use. The structure remembers the dtype of a tensor that is stored in another one. OUT is\n"
      "written under another name first: a failure leaves it as it was. Numbers that a conversion\n"
      "changed by more than rounding are counted on standard error.\n\n"
      "Examples:\n"
      "  safestructures convert model.safetensors half.safetensors --precision f16\n"
      "  safestructures convert model.safetensors.index.json one.safetensors\n"
      "  safestructures convert one.safetensors parts.safetensors --shard-size 2GB");
  command->callback([options] {
    if (!options->precision.empty()) options->save.precision = precisions.at(options->precision);
    convert(*options);
  });
}

}  // namespace safestructures::cli
