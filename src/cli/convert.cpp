#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/codecs/values.hpp>
#include <safestructures/formats/checksums.hpp>
#include <safestructures/formats/safetensors.hpp>
#include <safestructures/tools/document.hpp>
#include <safestructures/tools/save.hpp>
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/walk.hpp"
#include "data/printable.hpp"

namespace safestructures::cli {
namespace {

struct ConvertOptions {
  std::string input;
  std::string output;
  Precision precision = Precision::preserve;
  Overflow overflow = Overflow::error;
  std::uint64_t shard_size = 0;
  bool durable = false;
  bool checksums = false;
  bool lossless = false;
};

bool wants_checksums(const safetensors::File& file, const ConvertOptions& options) {
  return options.checksums || file.metadata(checksums::metadata_key).has_value();
}

DType stored_dtype(DType dtype, Precision precision) {
  if (!is_floating(dtype)) return dtype;
  switch (precision) {
    case Precision::preserve: return dtype;
    case Precision::f32: return DType::F32;
    case Precision::f16: return DType::F16;
    case Precision::bf16: return DType::BF16;
    case Precision::f64: return DType::F64;
  }
  return dtype;
}

/// A file without a schema stays one: the same names, other dtypes where asked.
SaveReport convert_plain(const safetensors::File& file, const ConvertOptions& options) {
  std::deque<Tensor> tensors;  // Items point into it.
  std::vector<safetensors::Item> items;
  for (std::size_t i = 0; i < file.size(); ++i) {
    const Tensor& tensor = tensors.emplace_back(file.tensor(i));
    items.emplace_back(file.name(i), tensor, stored_dtype(tensor.dtype(), options.precision));
  }
  safetensors::Metadata metadata;
  for (const safetensors::MetadataEntry& entry : file.metadata())
    metadata.emplace(entry.key, entry.value);
  if (wants_checksums(file, options))
    metadata.insert_or_assign(std::string(checksums::metadata_key),
                              checksums::make(items, metadata, options.overflow));
  const safetensors::WriteOptions write_options = {
      .durable = options.durable, .overflow = options.overflow, .lossless = options.lossless};
  const safetensors::WriteReport written =
      options.shard_size == 0
          ? safetensors::write_file(options.output, items, metadata, write_options)
          : safetensors::write_sharded(options.output, items, metadata, options.shard_size,
                                       write_options);
  SaveReport report{.bytes = written.bytes, .conversions = {}};
  for (const safetensors::Conversion& conversion : written.conversions)
    report.conversions.push_back({std::string(items[conversion.item].name), conversion.report});
  return report;
}

SaveReport convert_structure(const Document& document, const ConvertOptions& options) {
  SaveOptions save_options = {.metadata = document.metadata(),
                              .precision = options.precision,
                              .overflow = options.overflow,
                              .lossless = options.lossless,
                              .checksums = wants_checksums(document.file(), options),
                              .durable = options.durable,
                              .shard_size = options.shard_size};
  for (const std::string& name : document.unreferenced())
    save_options.extra_tensors.emplace(name, document.file().tensor(name));
  return save_file(document.root(), options.output, save_options);
}

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
  SaveReport saved;
  {
    const Progress progress("converting " + options.input, document.file().data_size(), false);
    saved = blame_arguments([&] {
      return document.has_schema() ? convert_structure(document, options)
                                   : convert_plain(document.file(), options);
    });
  }
  report_losses(saved.conversions);
  std::string name;
  detail::append_printable(name, options.output);
  if (options.shard_size != 0 && !name.ends_with(".index.json"))
    name += name.ends_with(".safetensors") ? ".index.json" : ".safetensors.index.json";
  Output out(stdout, "the standard output");
  out << fmt::format("{}: written, {}, {}\n", name, counted(tensor_count(document), "tensor"),
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
  const std::map<std::string, Precision> precisions = {{"preserve", Precision::preserve},
                                                       {"f32", Precision::f32},
                                                       {"f16", Precision::f16},
                                                       {"bf16", Precision::bf16},
                                                       {"f64", Precision::f64}};
  command
      ->add_option(
          "--precision", options->precision,
          "How floating-point tensors are stored: preserve (as they are, the default), f32,\n"
          "f16, bf16 or f64")
      ->option_text("PRECISION")
      ->transform(CLI::Transformer(precisions, CLI::ignore_case).description(""));
  const std::map<std::string, Overflow> overflows = {
      {"error", Overflow::error}, {"saturate", Overflow::saturate}, {"allow", Overflow::allow}};
  command
      ->add_option(
          "--overflow", options->overflow,
          "What to do with numbers beyond the range of the new dtype: error (the default),\n"
          "saturate (the largest number it has) or allow (infinity)")
      ->option_text("ACTION")
      ->transform(CLI::Transformer(overflows, CLI::ignore_case).description(""));
  command
      ->add_option("--shard-size", options->shard_size,
                   "Split into files of at most this size, such as 2GB, and an index")
      ->transform(CLI::AsSizeValue(true).description(""))
      ->option_text("SIZE");
  command->add_flag("--lossless", options->lossless,
                    "Refuse to change a number by more than rounding");
  command->add_flag("--checksums", options->checksums,
                    "Store checksums, which verify compares; a file that has them keeps them");
  command->add_flag("--durable", options->durable,
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
  command->callback([options] { convert(*options); });
}

}  // namespace safestructures::cli
