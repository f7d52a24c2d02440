/// \file
/// What to do about an error of loading, as the place of the file and its content suggest. Only
/// called when there is an error: it looks at the file's folder.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/formats/format.hpp>
#include <safestructures/formats/options.hpp>

namespace safestructures::inline v0::detail {

/// Opens a file. An error about a folder names the index of a checkpoint in it.
[[nodiscard]] std::shared_ptr<const Source> open_file(const std::filesystem::path& path);

/// Returns better advice than that of a codec that met a wrong type or no field: for a file that is
/// one of several, and for a flat type of which the file has the levels.
[[nodiscard]] std::optional<std::string> advice_on(const Error& error,
                                                   const std::filesystem::path& file,
                                                   const Content& content,
                                                   const LoadOptions& options);

/// Returns the same error with other advice.
[[nodiscard]] Error with_advice(const Error& error, std::string advice);

}  // namespace safestructures::inline v0::detail
