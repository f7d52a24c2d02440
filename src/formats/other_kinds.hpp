/// \file
/// Files of other kinds that are often mistaken for safetensors files.
#pragma once

#include <optional>
#include <string_view>

#include <safestructures/data/source.hpp>

namespace safestructures::inline v0 {

/// The kind of a file and advice on handling it, for messages.
struct OtherKind {
  std::string_view what;
  std::string_view advice;
};

/// Returns the kind of file that the first bytes of a source indicate, or nothing if they indicate
/// none.
[[nodiscard]] std::optional<OtherKind> other_kind(const Source& source);

}  // namespace safestructures::inline v0
