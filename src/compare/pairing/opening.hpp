/// \file
/// Opening what is compared, all of it at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "platform/parallel.hpp"

namespace safestructures::inline v0::comparing {

/// How many threads pay for opening these files, or folders of recordings, at once.
[[nodiscard]] unsigned threads_to_open(std::span<const std::filesystem::path> paths);

/// Calls `open(i)` for the place of each, on several threads where that pays. What fails is thrown
/// here, of the foremost.
template <class Open>
void open_at_once(std::span<const std::filesystem::path> paths, const Open& open) {
  platform::in_pieces(
      paths.size(), 1, [&](std::size_t i, std::size_t, unsigned) { open(i); },
      threads_to_open(paths));
}

}  // namespace safestructures::inline v0::comparing
