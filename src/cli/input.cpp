#include "cli/input.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/formats/gzip.hpp>
#include <safestructures/formats/pytorch.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include "cli/console/command.hpp"
#include "cli/numpy/npz.hpp"
#include "data/text/ending.hpp"
#include "data/text/nearest_name.hpp"
#include "data/text/printable.hpp"
#include "platform/os.hpp"
#include "recording/segments/files.hpp"

namespace safestructures::cli {
namespace {

constexpr std::string_view known_files =
    "A safetensors, .json, .msgpack, .cbor, .npz or PyTorch file, a record or .bpk of Burn, the "
    ".index.json of a checkpoint in several files, a folder that holds one of these";

std::shared_ptr<const Source> read_standard_input() {
  constexpr const char* name = "standard input";
  std::shared_ptr<const Source> source = Source::read_all(std::cin, name);
  // What std::cin cannot read looks like its end.
  if (std::ferror(stdin) != 0)
    throw Error(ErrorCode::cannot_read, "cannot read the standard input",
                {.file = name, .found = std::generic_category().message(errno)});
  return source;
}

/// Returns the longest ending of a name that a known format has; empty if there is none. For
/// `a.json.gz` it is `.json`.
std::string_view ending_of(std::string_view name) {
  std::string_view longest;
  const auto try_format = [&](const Format& format, std::string_view inner) {
    for (const std::string_view ending : format.extensions())
      if (detail::has_ending(inner, ending) && ending.size() > longest.size()) longest = ending;
  };
  for (const std::shared_ptr<const Format>& format : formats::all())
    try_format(*format, gzip::inner_name(name));
  try_format(*npz(), name);  // Not gzipped as a whole.
  return longest;
}

/// The files that a folder may stand for, by name.
struct Candidates {
  std::vector<std::string> indexes;
  std::vector<std::string> models;
  /// Files whose ending is also used for other things: config.json.
  std::vector<std::string> unsure;
  std::size_t files = 0;  ///< The number of files that are not hidden.
};

Candidates candidates_in(const std::filesystem::path& folder) {
  constexpr std::array unsure = {std::string_view(".json"), std::string_view(".bin")};
  Candidates found;
  std::error_code failure;
  platform::os::Listing names(folder, failure);
  while (!failure) {
    const std::string name(names.next(failure));
    if (name.empty()) break;
    std::error_code ignored;
    if (name.starts_with('.') || std::filesystem::is_directory(folder / name, ignored)) continue;
    ++found.files;
    const std::string_view ending = ending_of(name);
    if (ending.empty()) continue;
    if (ending.ends_with(".index.json")) found.indexes.push_back(name);
    else if (std::ranges::find(unsure, ending) != unsure.end()) found.unsure.push_back(name);
    else found.models.push_back(name);
  }
  if (failure)
    throw Error(ErrorCode::cannot_open, "cannot read the folder",
                {.file = folder.string(), .found = failure.message()});
  return found;
}

/// Returns the file that a folder stands for.
std::filesystem::path file_in(const std::filesystem::path& folder) {
  const auto [indexes, models, unsure, files] = candidates_in(folder);
  const std::string usual = "model.safetensors";
  if (std::ranges::find(models, usual) != models.end()) return folder / usual;
  if (std::ranges::find(indexes, usual + ".index.json") != indexes.end())
    return folder / (usual + ".index.json");
  if (indexes.size() == 1) return folder / indexes.front();
  if (is_recording(folder))
    throw Error(ErrorCode::cannot_open, "the folder is a recording",
                {.file = folder.string(),
                 .expected = "a file, or a folder that holds one",
                 .found = detail::counted(models.size(), "sealed segment"),
                 .advice = "Name one of its segments; the other commands take a recording"});
  if (indexes.empty()) {
    // Checkpoints of other frameworks may be in the same folder.
    const auto is_usual = [](const std::string& name) { return name.ends_with(".safetensors"); };
    const auto found = std::ranges::find_if(models, is_usual);
    if (std::ranges::count_if(models, is_usual) == 1 || models.size() == 1)
      return folder / (found != models.end() ? *found : models.front());
  }
  // If there are other files, a .json is more likely their configuration than the model.
  if (unsure.size() == 1 && files == 1) return folder / unsure.front();
  const std::vector<std::string>& candidates = indexes.empty() ? models : indexes;
  std::vector<std::string_view> names(candidates.begin(), candidates.end());
  if (names.empty()) names.assign(unsure.begin(), unsure.end());
  std::ranges::sort(names);
  throw Error(
      ErrorCode::cannot_open, "it is unclear which file in the folder is meant",
      {.file = folder.string(),
       .expected = "model.safetensors, one .index.json, one model file, or a single .json or "
                   ".bin file and nothing else",
       .found = names.empty() ? "none of these" : detail::list_names(names),
       .advice = "Name a file inside it"});
}

/// Returns whether a file begins like those of that format.
bool is_of(const Format& format, const Source& source) {
  std::array<std::byte, Format::sniffed_bytes> room;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(source.size(), room.size()));
  const std::span<std::byte> head = std::span(room).first(size);
  source.read(0, head);
  return format.recognises(head, source.size());
}

/// Returns whether an input is an index that names the file, by whatever name or link.
bool is_named_by(const std::string& input, const std::filesystem::path& file) {
  std::error_code ignored;
  try {
    // Usually a page or numbers are replaced, and no index names those.
    if (input == "-" || !is_of(*formats::safestructures(), *Source::open(file))) return false;
    const std::shared_ptr<const Source> source = open_source(input);
    const Document document = Document::open(source, {.format = format_of(*source)});
    return std::ranges::any_of(document.content().files, [&](const std::filesystem::path& one) {
      return std::filesystem::equivalent(file, one, ignored);
    });
  } catch (const Error&) {
    return false;  // The command itself will say what is wrong with the input.
  }
}

}  // namespace

std::string input_help() { return std::string(known_files) + ", or - for the standard input"; }

std::string input_or_recording_help() {
  return std::string(known_files) + ", the folder of a recording, or - for the standard input";
}

bool names_recording(const std::string& name) { return name != "-" && is_recording(name); }

std::shared_ptr<const Source> open_source(const std::string& name) {
  if (name == "-") return read_standard_input();
  std::error_code ignored;
  return Source::open(std::filesystem::is_directory(name, ignored) ? file_in(name)
                                                                   : std::filesystem::path(name));
}

std::shared_ptr<const Format> format_of(const Source& source) {
  // PyTorch's files are archives, too.
  return is_of(*npz(), source) && formats::for_content(source) != formats::pytorch() ? npz()
                                                                                     : nullptr;
}

Input open_input_or_recording(const std::string& name, Access access) {
  Input input{name, std::nullopt, nullptr, std::nullopt};
  if (names_recording(name)) {
    input.recording.emplace(name, RecordingOptions{.access = access});
  } else {
    input.source = open_source(name);
    input.document =
        Document::open(input.source, {.format = format_of(*input.source), .access = access});
  }
  return input;
}

std::string file_of(const Input& input, const Record& record) {
  return (std::filesystem::path(input.name) / record.file().filename()).string();
}

void note_missing(const Input& input) {
  if (!input.recording) return;
  for (const std::string& line : input.recording->notes()) note(input.name + ": " + line);
}

std::uint64_t size_on_disk(std::span<const std::filesystem::path> files) {
  std::uint64_t size = 0;
  std::error_code failure;
  for (const std::filesystem::path& one : files) {
    const std::uintmax_t bytes = std::filesystem::file_size(one, failure);
    if (!failure) size += bytes;
  }
  return size;
}

void require_no_input(std::string_view option, const std::string& output,
                      std::span<const std::string> inputs) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path path = output;
  if (!fs::is_regular_file(path, ignored)) return;
  const std::string name = path.filename().string();
  const bool is_of_folder =
      name.starts_with("segment-") || name == recording::lock_file({}) || !ending_of(name).empty();
  for (const std::string& input : inputs) {
    const bool is_input =
        fs::equivalent(path, input, ignored) ||
        (is_of_folder && fs::is_directory(input, ignored) &&
         fs::equivalent(path.has_parent_path() ? path.parent_path() : fs::path("."), input,
                        ignored)) ||
        is_named_by(input, path);
    if (is_input)
      throw CallError(std::string(option) + ": " + output +
                      " is also an input and would be overwritten: name another file.");
  }
}

}  // namespace safestructures::cli
