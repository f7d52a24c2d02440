/// \file
/// What a command reads: a file, a folder that holds one, or the standard input.
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

/// What commands say of the file that they read.
std::string input_help();
/// The same, of commands that take recordings too.
std::string input_or_recording_help();

/// Whether that is the folder of a recording.
/// \throws Error `cannot_read`
bool is_recording(const std::string& name);

/// Opens what `name` says: `-` is the standard input, which is read whole; of a folder the
/// `model.safetensors`, the `.index.json`, or the only file that there is.
/// \throws Error `cannot_open`, `cannot_read`
std::shared_ptr<const Source> open_source(const std::string& name);

/// The format of it where that is one of the tool's own; null: the library finds out.
std::shared_ptr<const Format> format_of(const Source& source);

/// A file, or the recording in a folder: one of the two is there.
struct Input {
  std::string name;  ///< As it was given.
  std::optional<Recording> recording;
  std::shared_ptr<const Source> source;  ///< Of the document.
  std::optional<Document> document;
};

/// Opens what `name` says: a recording's folder, or the file that `open_source` opens.
/// \param access read where every tensor is looked at once: then none is kept
/// \throws Error what is wrong with it
Input open_input_or_recording(const std::string& name, Access access = Access::read);

/// Says on standard error what of a recording is missing; of a file nothing is.
void note_missing(const Input& input);

/// What all of the files take on the disk, in bytes, as far as that can be found out.
std::uint64_t size_on_disk(std::span<const std::filesystem::path> files);

/// Keeps a result from taking the place of what it was made of.
/// \param option that names `output` \param inputs as they were given
/// \throws CallError where `output` is one of them, or a file that one of them, a folder or an
/// index, is made of
void require_no_input(std::string_view option, const std::string& output,
                      std::span<const std::string> inputs);

}  // namespace safestructures::cli
