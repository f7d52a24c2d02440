#include "cli/input.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include "cli/console/command.hpp"
#include "cli/numpy/npz.hpp"
#include "data/text/nearest_name.hpp"
#include "data/text/printable.hpp"
#include "recording/segments/files.hpp"

namespace safestructures::cli {
namespace {

/// What came in by the standard input, under a name for errors.
class InputBytes final : public Source {
 public:
  explicit InputBytes(std::shared_ptr<const Source> bytes) : bytes_(std::move(bytes)) {}

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t size() const noexcept override { return bytes_->size(); }
  bool is_in_memory() const noexcept override { return true; }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    bytes_->read(offset, into);
  }
  SharedBytes view(std::uint64_t offset, std::size_t size) const override {
    return bytes_->view(offset, size);
  }

 private:
  std::string name_ = "standard input";
  std::shared_ptr<const Source> bytes_;
};

std::shared_ptr<const Source> read_standard_input() {
  std::vector<std::byte> bytes;
  std::array<std::byte, std::size_t{1} << 16U> block;
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), stdin))
    bytes.insert(bytes.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
  if (std::ferror(stdin) != 0)
    throw Error(ErrorCode::cannot_read, "cannot read the standard input",
                {.file = "standard input", .found = std::generic_category().message(errno)});
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return std::make_shared<const InputBytes>(Source::of(*owner, owner));
}

/// The file that a folder is about.
std::filesystem::path file_in(const std::filesystem::path& folder) {
  std::vector<std::string> indexes;
  std::vector<std::string> models;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".safetensors.index.json")) indexes.push_back(name);
    if (name.ends_with(".safetensors") || name.ends_with(".npz")) models.push_back(name);
  }
  if (failure)
    throw Error(ErrorCode::cannot_open, "cannot read the folder",
                {.file = folder.string(), .found = failure.message()});
  const std::string usual = "model.safetensors";
  if (std::ranges::find(models, usual) != models.end()) return folder / usual;
  if (std::ranges::find(indexes, usual + ".index.json") != indexes.end())
    return folder / (usual + ".index.json");
  if (indexes.size() == 1) return folder / indexes.front();
  const std::vector<std::string>& candidates = indexes.empty() ? models : indexes;
  if (candidates.size() == 1) return folder / candidates.front();
  std::vector<std::string_view> names(candidates.begin(), candidates.end());
  std::ranges::sort(names);
  if (is_recording(folder.string()))
    throw Error(ErrorCode::cannot_open, "the folder is a recording",
                {.file = folder.string(),
                 .expected = "a file, or a folder that is about one",
                 .found = detail::counted(names.size(), "sealed segment"),
                 .advice = "stats, diff, report and verify take recordings; name a file inside it "
                           "to look into that"});
  throw Error(ErrorCode::cannot_open, "the folder does not say which file is meant",
              {.file = folder.string(),
               .expected = "model.safetensors, or one .index.json, .safetensors or .npz file",
               .found = names.empty() ? "none of them" : detail::list_names(names),
               .advice = "Name a file inside it"});
}

/// Whether a file begins as those of that format do.
bool is_of(const Format& format, const Source& source) {
  std::array<std::byte, Format::sniffed_bytes> room;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(source.size(), room.size()));
  const std::span<std::byte> head = std::span(room).first(size);
  source.read(0, head);
  return format.recognises(head, source.size());
}

/// Whether an input is an index that names the file, by whatever name or link.
bool is_named_by(const std::string& input, const std::filesystem::path& file) {
  std::error_code ignored;
  try {
    // What is mostly replaced, a page or numbers, no index names.
    if (input == "-" || !is_of(*formats::safestructures(), *Source::open(file))) return false;
    const Document document = open_input(input);
    return std::ranges::any_of(document.content().files, [&](const std::filesystem::path& one) {
      return std::filesystem::equivalent(file, one, ignored);
    });
  } catch (const Error&) {
    return false;  // The command itself will say what is wrong with the input.
  }
}

}  // namespace

bool is_recording(const std::string& name) {
  std::error_code ignored;
  return name != "-" && std::filesystem::is_directory(name, ignored) &&
         (!recording::list_segments(name).empty() ||
          std::filesystem::exists(recording::lock_file(name), ignored));
}

std::shared_ptr<const Source> open_source(const std::string& name) {
  if (name == "-") return read_standard_input();
  std::error_code ignored;
  return Source::open(std::filesystem::is_directory(name, ignored) ? file_in(name)
                                                                   : std::filesystem::path(name));
}

std::shared_ptr<const Format> format_of(const Source& source) {
  return is_of(*npz(), source) ? npz() : nullptr;
}

Document open_input(const std::string& name, Access access) {
  const std::shared_ptr<const Source> source = open_source(name);
  return Document::open(source, {.format = format_of(*source), .access = access});
}

Input open_input_or_recording(const std::string& name) {
  Input input{name, std::nullopt, std::nullopt};
  if (is_recording(name)) input.recording.emplace(name, RecordingOptions{.access = Access::read});
  else input.document = open_input(name, Access::read);
  return input;
}

void require_no_input(std::string_view option, const std::string& output,
                      std::span<const std::string> inputs) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path path = output;
  if (!fs::is_regular_file(path, ignored)) return;
  const std::string name = path.filename().string();
  const bool is_of_folder = name.starts_with("segment-") || name.ends_with(".safetensors") ||
                            name.ends_with(".json") || name.ends_with(".npz");
  for (const std::string& input : inputs) {
    const bool is_input =
        fs::equivalent(path, input, ignored) ||
        (is_of_folder && fs::is_directory(input, ignored) &&
         fs::equivalent(path.has_parent_path() ? path.parent_path() : fs::path("."), input,
                        ignored)) ||
        is_named_by(input, path);
    if (is_input)
      throw CallError(std::string(option) + ": " + output +
                      " is what is read here, and would be lost: name another file.");
  }
}

}  // namespace safestructures::cli
