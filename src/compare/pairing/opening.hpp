/// \file
/// Opens the files to compare, in parallel.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "platform/parallel.hpp"

namespace safestructures::inline v0::comparing {

/// Returns how many threads pay off for opening these files, or folders of recordings, at once.
[[nodiscard]] unsigned threads_to_open(std::span<const std::filesystem::path> paths);

/// Calls `open(i)` for each index, on several threads if that pays off. Rethrows the error with the
/// lowest index.
template <class Open>
void open_at_once(std::span<const std::filesystem::path> paths, const Open& open) {
  platform::in_pieces(
      paths.size(), 1, [&](std::size_t i, std::size_t, unsigned) { open(i); },
      threads_to_open(paths));
}

}  // namespace safestructures::inline v0::comparing
