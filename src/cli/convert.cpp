#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <safestructures/formats/gzip.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include <safestructures/tools/convert.hpp>
#include <safestructures/tools/document.hpp>
#include "cli/console/choice.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/console/progress.hpp"
#include "cli/console/wrapped_format.hpp"
#include "cli/input.hpp"
#include "cli/numpy/npz.hpp"
#include "data/text/ending.hpp"
#include "data/text/nearest_name.hpp"
#include "data/text/printable.hpp"

namespace safestructures::cli {
namespace {

struct ConvertOptions {
  std::string input;
  std::string output;
  bool numpy = false;
  std::vector<std::string> metadata;
  SaveOptions save = {.precision = Precision::preserve};
};

const std::vector<std::pair<std::string, Precision>> precisions = {
    {"preserve", Precision::preserve},
    {"f32", Precision::f32},
    {"f16", Precision::f16},
    {"bf16", Precision::bf16},
    {"f64", Precision::f64}};
const std::vector<std::pair<std::string, Overflow>> overflows = {
    {"error", Overflow::error}, {"saturate", Overflow::saturate}, {"allow", Overflow::allow}};

/// Adds an option that takes one of the words, and sets what the word stands for.
template <class T>
void add_choice(CLI::App& command, const std::string& name, const std::string& what,
                const std::vector<std::pair<std::string, T>>& choices, T& target,
                const std::string& description) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& [word, value] : choices) words.push_back(word);
  std::string text = fmt::format("{}", fmt::join(words, "|"));
  command
      .add_option_function<std::string>(
          name,
          [&choices, &target](const std::string& given) {
            target = std::ranges::find(choices, given, &std::pair<std::string, T>::first)->second;
          },
          description)
      ->transform(one_of(what, std::move(words)))
      ->option_text(std::move(text));
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
    note(fmt::format("values changed in {}: {}.", conversions[i].name, text));
  }
  if (conversions.size() > most)
    note(fmt::format("values changed in {} more tensors.", conversions.size() - most));
}

/// Parses `KEY=VALUE` texts into metadata.
Metadata metadata_of(const std::vector<std::string>& texts) {
  Metadata metadata;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw CallError("--metadata takes KEY=VALUE, not '" + text + "'.");
    metadata[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return metadata;
}

Document open_for(const ConvertOptions& options) {
  const std::shared_ptr<const Source> source = open_source(options.input);
  std::shared_ptr<const Format> format = format_of(*source);
  if (options.numpy) {
    if (!format) format = formats::for_content(*source);
    format = with_numpy_names(std::move(format));
  }
  return Document::open(source, {.format = std::move(format)});
}

/// Returns the format of OUT; it is the default for the standard output and for names without a
/// known extension.
std::shared_ptr<const Format> target_of(const ConvertOptions& options) {
  if (detail::has_ending(options.output, ".npz")) return npz();
  return formats::for_name(std::filesystem::path(options.output).filename().string());
}

/// Notes what is left out because the format of OUT has no place for it.
void note_losses(const Document& document, const Format& target) {
  if (target.name() == npz()->name() && !document.metadata().empty()) {
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : document.metadata()) keys.push_back(key);
    note("a .npz file cannot hold metadata, so this is left out: " + detail::list_names(keys) +
         ".");
  }
  if (document.content().has_checksums && target.name() != formats::safestructures()->name())
    note(
        fmt::format("the format {} has no checksums, so those of IN are left out.", target.name()));
}

/// Returns whether an error while writing is about the input, which is read meanwhile. All others
/// are about the output, which the call asks for, whatever their code.
bool is_of_input(const Error& error, const Document& document, const std::string& output) {
  const ErrorDetails& details = error.details();
  constexpr std::array reading = {ErrorCode::cannot_read, ErrorCode::truncated,
                                  ErrorCode::checksum_mismatch, ErrorCode::damaged};
  if (error.code() == ErrorCode::cannot_write) return false;
  // OUT may be IN: then the name does not tell, but only errors of reading have a byte offset.
  if (details.offset || std::ranges::find(reading, error.code()) != reading.end()) return true;
  if (details.file.empty() || details.file == output) return false;
  return details.file == document.name() ||
         std::ranges::find(document.content().files, std::filesystem::path(details.file)) !=
             document.content().files.end();
}

SaveReport write_converted(const Document& document, const ConvertOptions& options,
                           const SaveOptions& save) {
  if (options.output != "-") return convert_file(document, options.output, save);
  if (is_terminal(stdout))
    throw CallError(
        "the file is not written to a terminal: redirect the standard output or name a file.");
  Output out(stdout, "the standard output");
  SaveReport report = convert(document, out, save);
  out.finish();
  return report;
}

/// Says which files of an earlier save are gone, of many the first.
std::string removed_text(const std::vector<std::string>& removed) {
  constexpr std::size_t most = 4;
  std::string text =
      "removed " + detail::counted(removed.size(), "file") + " of the earlier save there: ";
  for (std::size_t i = 0; i < std::min(removed.size(), most); ++i) {
    if (i > 0) text += ", ";
    detail::append_printable(text, removed[i]);
  }
  if (removed.size() > most) text += ", ...";
  return text;
}

/// A file replaces a file as a whole; the standard output is a single file, written as it goes.
void check_output(const ConvertOptions& options) {
  namespace fs = std::filesystem;
  if (options.output == "-") {
    if (options.save.shard_size != 0)
      throw CallError(
          "--shard-size writes several files, and the standard output is one: name a file.");
    if (options.save.durable)
      throw CallError("--durable is for files, not for the standard output: name a file.");
    return;
  }
  if (detail::has_ending(options.output, ".npy"))
    throw CallError(
        options.output +
        ": a .npy file holds a single array: write it with 'get', or name a .npz file.");
  if (detail::has_ending(options.output, ".npz") && !options.metadata.empty())
    throw CallError("--metadata: a .npz file cannot hold metadata: name a file of another format.");
  if (const std::string_view inner = gzip::inner_name(options.output);
      inner.size() < options.output.size() &&
      (detail::has_ending(inner, ".npz") || detail::has_ending(inner, ".npy")))
    throw CallError(options.output + ": NumPy cannot open arrays inside gzip: name a .npz file.");
  std::error_code ignored;
  const fs::file_status status = fs::status(options.output, ignored);
  if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status)) return;
  throw CallError(options.output +
                  " is a pipe or a device: name a file, or - for the standard output.");
}

void convert(const ConvertOptions& options) {
  check_output(options);
  SaveOptions save = options.save;
  save.metadata = metadata_of(options.metadata);
  const Document document = open_for(options);
  const Content& content = document.content();
  const std::shared_ptr<const Format> target = target_of(options);
  SaveReport saved;
  {
    Progress progress("converting " + options.input, content.tensor_bytes);
    save.format = progress.is_shown() ? counted_by(progress, target) : target;
    try {
      saved = write_converted(document, options, save);
    } catch (const Error& error) {
      if (is_of_input(error, document, options.output)) throw;
      throw CallError(error.what());
    }
  }
  note_losses(document, *target);
  report_losses(saved.conversions);
  if (options.output == "-") return;
  std::string name;
  detail::append_printable(name, options.output);
  // What fits is one plain file; shards take its place.
  if (!std::filesystem::exists(options.output))
    name += name.ends_with(".safetensors") ? ".index.json" : ".safetensors.index.json";
  Output out(stdout, "the standard output");
  out << fmt::format("{}: written, {}, {}\n", name, detail::counted(content.tensor_count, "tensor"),
                     human_size(saved.bytes));
  if (!saved.removed.empty()) out << removed_text(saved.removed) << '\n';
  out.finish();
}

}  // namespace

void add_convert(CLI::App& app) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App* command =
      app.add_subcommand("convert", "Save a file in another format, precision or shard size");
  command->add_option("IN", options->input, input_help())->required();
  command
      ->add_option(
          "OUT", options->output,
          "The file to write; its ending decides on the format (default: safetensors); may be the "
          "same as IN; - is the standard output")
      ->required();
  add_choice(*command, "--precision", "precision", precisions, options->save.precision,
             "Store floating-point tensors in this dtype (default: preserve, each in its own)");
  add_choice(*command, "--overflow", "action", overflows, options->save.overflow,
             "For numbers beyond the range of the new dtype: error refuses them (the default), "
             "saturate stores the largest number of the dtype, allow stores infinity");
  command
      ->add_option("--metadata", options->metadata,
                   "Add this text to the file's metadata, or replace IN's text of that key; can be "
                   "repeated")
      ->option_text("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_flag(
      "--numpy", options->numpy,
      "Turn arrays of torch and JAX into NumPy arrays, so that Python opens the file without "
      "these packages");
  command
      ->add_option(
          "--shard-size", options->save.shard_size,
          "Split what is larger into files of at most this size, such as 2GB, and an index "
          "(default: 0, a single file)")
      ->transform(size_in_bytes())
      ->option_text("SIZE");
  command->add_flag("--lossless", options->save.lossless,
                    "Refuse every conversion that cannot be undone bit for bit");
  command->add_flag("--refuse-range-losses", options->save.refuse_range_losses,
                    "Refuse conversions that make numbers zero or infinite or round integers, "
                    "which are otherwise "
                    "only reported; rounding floats is allowed");
  command->add_flag(
      "--checksums", options->save.checksums,
      "Store checksums, which verify compares; a file that already has them keeps them");
  command->add_flag("--durable", options->save.durable,
                    "Return only when the file would survive a loss of power");
  command
      ->add_option("--threads", options->save.threads,
                   "Use at most this many threads (default: 0, as many as help)")
      ->option_text("N");
  command->footer(
      "Everything is kept: structure, types, names, metadata, and tensors that the\n"
      "structure does not use; but a .npz file holds only arrays and their names. The\n"
      "structure notes the dtype of a tensor that is stored in another one. OUT is\n"
      "written under another name first, so a failure leaves an existing file as it\n"
      "was. Standard error says how many numbers changed by more than rounding.\n\n"
      "Examples:\n"
      "  safestructures convert model.safetensors half.safetensors --precision f16\n"
      "  safestructures convert model.safetensors.index.json one.safetensors\n"
      "  safestructures convert one.safetensors parts.safetensors --shard-size 2GB\n"
      "  safestructures convert arrays.npz arrays.safetensors --metadata format=pt");
  command->callback([options] { convert(*options); });
}

}  // namespace safestructures::cli
