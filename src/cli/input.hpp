/// \file
/// What a command reads: a file, a folder that holds one, or the standard input.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/formats/format.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/document.hpp>

namespace safestructures::cli {

/// What all commands say of the file that they read.
inline constexpr const char* input_help =
    "A safetensors, .json, .msgpack, .cbor or .npz file, a record or .bpk of Burn,\nthe "
    ".index.json of several, a folder with one of them, or - for the standard input";

/// Whether that is the folder of a recording.
/// \throws Error `cannot_read`
bool is_recording(const std::string& name);

/// Opens what `name` says: `-` is the standard input, which is read whole; of a folder the
/// `model.safetensors`, the `.index.json`, or the only file that there is.
/// \throws Error `cannot_open`, `cannot_read`
std::shared_ptr<const Source> open_source(const std::string& name);

/// The format of it where that is one of the tool's own; null: the library finds out.
std::shared_ptr<const Format> format_of(const Source& source);

/// Opens the file of that name, as `open_source` and `format_of` say.
Document open_input(const std::string& name, Access access = Access::map);

/// A file, or the recording in a folder: one of the two is there. Both are read, not mapped: what
/// looks at every tensor once keeps none.
struct Input {
  std::string name;  ///< As it was given.
  std::optional<Recording> recording;
  std::optional<Document> document;
};

/// Opens what `name` says: a recording's folder, or what `open_input` opens. \throws Error what is
/// wrong with it
Input open_input_or_recording(const std::string& name);

/// Keeps a result from taking the place of what it was made of.
/// \param option that names `output` \param inputs as they were given
/// \throws CallError where `output` is one of them, or a file that one of them, a folder or an
/// index, is made of
void require_no_input(std::string_view option, const std::string& output,
                      std::span<const std::string> inputs);

}  // namespace safestructures::cli
