/// \file
/// Files of other kinds, which are often taken for safetensors files.
#pragma once

#include <optional>
#include <string_view>

#include <safestructures/data/source.hpp>

namespace safestructures::inline v0 {

/// What a file is, and what to do with it, for messages.
struct OtherKind {
  std::string_view what;
  std::string_view advice;
};

/// What the first bytes of a source say that it is; nothing where they say nothing.
[[nodiscard]] std::optional<OtherKind> other_kind(const Source& source);

}  // namespace safestructures::inline v0
