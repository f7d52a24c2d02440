#include <cstddef>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <safestructures/codecs/values.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/slice.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/formats/json.hpp>
#include <safestructures/tools/save.hpp>
#include "cli/chosen_value.hpp"
#include "cli/console/choice.hpp"
#include "cli/console/command.hpp"
#include "cli/console/output.hpp"
#include "cli/input.hpp"
#include "cli/numpy/npy.hpp"
#include "cli/tensor_text.hpp"
#include "data/text/ending.hpp"
#include "data/text/printable.hpp"

namespace safestructures::cli {
namespace {

constexpr std::size_t everything = static_cast<std::size_t>(-1);

struct GetOptions {
  std::string file;
  ValueChoice value;
  std::string output;
  std::string slice;
  std::string dtype;
  bool all = false;
  bool json = false;
};

void require_tensor(const Value& value, const GetOptions& options) {
  if (value.kind() == Kind::tensor || (options.slice.empty() && options.dtype.empty())) return;
  throw CallError(std::string(options.slice.empty() ? "--dtype" : "--slice") +
                  " is for tensors: " + options.value.path + " is " + describe(value) + ".");
}

Tensor choose(Tensor tensor, const GetOptions& options) {
  const std::optional<DType> dtype = parse_dtype(options.dtype);
  // Only whole bytes can be sliced.
  if (dtype && bit_width(tensor.dtype()) < 8) tensor = tensor.to(*dtype);
  if (!options.slice.empty()) {
    if (bit_width(tensor.dtype()) < 8)
      throw Error(ErrorCode::invalid_argument, "elements narrower than a byte cannot be sliced",
                  {.found = describe(Value(tensor)), .advice = "Add --dtype F32 to convert them"});
    tensor = tensor.slice(parse_slices(options.slice));
  }
  return dtype ? tensor.to(*dtype) : tensor;
}

void write_json(std::ostream& out, Value value) {
  // The names of tensors in a file that this value is no longer a part of.
  walk(value, [](Value& node, const Place&) {
    if (node.has_tensor()) node.set_tensor_name({});
    return Next::into;
  });
  save(value, out, {.format = formats::json(), .precision = Precision::preserve});
}

/// Called before a file is begun, so that an error names the tensor.
std::string array_header(const Tensor& tensor, const GetOptions& options) {
  return blame_arguments([&] {
    try {
      return npy_header(tensor, "--dtype F32");
    } catch (const Error& error) {
      throw error.with_path(options.value.path).with_file(options.file);
    }
  });
}

/// A name that promises another format than JSON would keep everybody from reading it.
void require_json_name(const std::string& output) {
  for (const std::string_view other : {".gz", ".npy", ".npz"})
    if (detail::has_ending(output, other))
      throw CallError(
          fmt::format("--json: {} would hold JSON, not {}: name a .json file.", output, other));
}

void write_to_file(const Value& value, const GetOptions& options) {
  if (options.json) require_json_name(options.output);
  if (options.json || detail::has_ending(options.output, ".json"))
    return write_output_file(options.output, [&](std::ostream& out) { write_json(out, value); });
  const bool is_npy = detail::has_ending(options.output, ".npy");
  switch (value.kind()) {
    case Kind::tensor: {
      if (!is_npy && options.output != "-")
        throw CallError("a tensor is written as .npy or .json: use one of these endings, not " +
                        options.output + ".");
      const std::string header = array_header(value.tensor(), options);
      return write_output_file(options.output,
                               [&](std::ostream& out) { write_npy(out, value.tensor(), header); });
    }
    case Kind::string:
      return write_output_file(options.output,
                               [&](std::ostream& out) { out << value.as_string(); });
    case Kind::bytes:
      return write_output_file(options.output, [&](std::ostream& out) {
        const std::span<const std::byte> bytes = value.tensor().bytes();
        out.write(reinterpret_cast<const char*>(bytes.data()),
                  static_cast<std::streamsize>(bytes.size()));
      });
    default:
      throw CallError(
          "only a tensor, a str or bytes can be written unchanged: " + options.value.path + " is " +
          describe(value) + ". Name a .json file, or add --json.");
  }
}

void print_value(std::ostream& out, const Value& value, bool all) {
  switch (value.kind()) {
    case Kind::string:
      // Unchanged for other programs; a terminal would obey the control characters in it.
      if (is_terminal(stdout)) {
        std::string printable;
        detail::append_printable(printable, value.as_string());
        out << printable << '\n';
      } else {
        out << value.as_string() << '\n';
      }
      break;
    case Kind::tensor:
    case Kind::bytes:
      print_tensor(out, value.tensor(), all);
      out << '\n';
      break;
    default: {
      PrintOptions options;
      if (all || value.kind() < Kind::string) options = {.items = everything, .text = everything};
      if (all) options.depth = everything;
      print(out, value, options);
    }
  }
}

void get(const GetOptions& options) {
  require_no_input("-o", options.output, std::span(&options.file, 1));
  const Input input = open_input_or_recording(options.file, Access::map);
  Value value = chosen_value(input, options.value);
  require_tensor(value, options);
  blame_arguments([&] {
    try {
      if (value.kind() == Kind::tensor) value.set_tensor(choose(value.tensor(), options));
    } catch (const Error& error) {
      throw error.with_path(options.value.path).with_file(options.file);
    }
  });
  if (!options.output.empty()) return write_to_file(value, options);
  Output out(stdout, "the standard output");
  if (options.json) write_json(out, value);
  else print_value(out, value, options.all);
  out.finish();
}

}  // namespace

void add_get(CLI::App& app) {
  const auto options = std::make_shared<GetOptions>();
  CLI::App* command =
      app.add_subcommand("get", "Print one value of a file or recording, or save it");
  command->add_option("FILE", options->file, input_or_recording_help())->required();
  command
      ->add_option(
          "PATH", options->value.path,
          "The path of the value, such as /layers/0/weight, or the name of a tensor in the "
          "file; for a recording, the name of a record, or a value inside it: "
          "decoder/logits")
      ->required();
  add_record_options(*command, options->value);
  CLI::Option* output = command
                            ->add_option("-o,--output", options->output,
                                         "Write to this file: any value as .json, a tensor as "
                                         ".npy, a str or bytes unchanged; - is the standard "
                                         "output")
                            ->option_text("FILE");
  command
      ->add_option("--slice", options->slice,
                   "Only this part of the tensor, as in NumPy: '[2:5, ::2]'")
      ->option_text("PARTS");
  command
      ->add_option("--dtype", options->dtype, "Convert the tensor to this dtype first, such as F32")
      ->transform(known_dtype())
      ->option_text("DTYPE");
  CLI::Option* json =
      command->add_flag("--json", options->json,
                        "Print JSON, with nothing lost or left out; docs/json.md describes it");
  command
      ->add_flag(
          "--all", options->all,
          "Print every element of a tensor and every item of a container (default: large ones are "
          "shortened)")
      ->excludes(output)
      ->excludes(json);
  command->footer(
      "Numbers, strings and other scalars are printed as they are, containers as a\n"
      "tree, and tensors as NumPy prints them, in the dtype in which they are stored.\n\n"
      "Examples:\n"
      "  safestructures get model.safetensors /config/epochs\n"
      "  safestructures get model.safetensors /layers/0/weight --slice '[:3, -1]'\n"
      "  safestructures get model.safetensors /config --json | jq .epochs\n"
      "  safestructures get model.safetensors layers.0.weight -o weight.npy --dtype F32\n"
      "  safestructures get run decoder.layer.3 --step 2");
  command->callback([options] { get(*options); });
}

}  // namespace safestructures::cli
