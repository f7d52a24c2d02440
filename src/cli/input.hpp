/// \file
/// The inputs of commands: a file, a folder that holds one, or the standard input.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/formats/format.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/document.hpp>

namespace safestructures::cli {

/// Returns the help text for the file that a command reads.
std::string input_help();
/// Returns the help text for commands that take recordings too.
std::string input_or_recording_help();

/// Returns whether `name`, as given on the command line, is the folder of a recording.
/// \throws Error as `is_recording`
bool names_recording(const std::string& name);

/// Opens an input: `-` is the standard input, which is read completely; in a folder it opens
/// `model.safetensors`, the `.index.json`, or the only file there.
/// \throws Error `cannot_open`, `cannot_read`
std::shared_ptr<const Source> open_source(const std::string& name);

/// Returns the format of a source if it is one of the tool's own; null lets the library find out.
std::shared_ptr<const Format> format_of(const Source& source);

/// A file, or the recording in a folder: exactly one of the two is present.
struct Input {
  std::string name;  ///< The name as given.
  std::optional<Recording> recording;
  std::shared_ptr<const Source> source;  ///< The source of the document.
  std::optional<Document> document;
};

/// Opens an input: the folder of a recording, or the file that `open_source` opens.
/// \param access `read` if every tensor is looked at only once: none is kept then
/// \throws Error what is wrong with it
Input open_input_or_recording(const std::string& name, Access access = Access::read);

/// Returns the file of one of its records, in the folder as given.
std::string file_of(const Input& input, const Record& record);

/// Reports on standard error what is missing from a recording; nothing for a file.
void note_missing(const Input& input);

/// Returns the bytes that the files take on disk, as far as they can be determined.
std::uint64_t size_on_disk(std::span<const std::filesystem::path> files);

/// Refuses an output that would replace one of the files it is made from.
/// \param option that names `output` \param inputs as given
/// \throws CallError if `output` is an input, or a file that belongs to an input (a folder or an
/// index)
void require_no_input(std::string_view option, const std::string& output,
                      std::span<const std::string> inputs);

}  // namespace safestructures::cli
