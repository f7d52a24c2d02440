/// \file
/// How large the containers were that came last: in a list of objects, most have the same size.
#pragma once

#include <array>
#include <cstddef>

namespace safestructures::inline v0::tree {

/// The size of the container that was last read at each depth: what the next one has room for. All
/// of them together have room for at most twice their content.
class RecentSizes {
 public:
  [[nodiscard]] std::size_t at(std::size_t depth) const noexcept {
    return depth < sizes_.size() ? sizes_[depth] : 0;
  }
  void note(std::size_t depth, std::size_t size) noexcept {
    if (depth < sizes_.size()) sizes_[depth] = size;
  }

 private:
  std::array<std::size_t, 16> sizes_{};
};

}  // namespace safestructures::inline v0::tree
