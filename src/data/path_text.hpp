/// \file
/// A limit on the size of paths kept in memory.
#pragma once

#include <cstdint>
#include <string_view>

namespace safestructures::inline v0::detail {

/// Counts the text of paths, for callers that keep one per node: in a file of 1 MB that has a key
/// of 200 KB above 8,000 nodes, the paths take 1.6 GB.
class PathText {
 public:
  /// \param file the file of the paths, for errors; must outlive this
  explicit PathText(std::string_view file = {}) noexcept : file_(file) {}

  /// \throws Error `limit_exceeded` beyond 64 MiB and 256 bytes for each path
  void add(std::string_view path) {
    size_ += path.size();
    ++paths_;
    if (size_ > most()) fail();
  }

 private:
  [[nodiscard]] std::uint64_t most() const noexcept {
    return (std::uint64_t{64} << 20U) + 256 * paths_;
  }
  [[noreturn]] void fail() const;

  std::string_view file_;
  std::uint64_t size_ = 0;
  std::uint64_t paths_ = 0;
};

}  // namespace safestructures::inline v0::detail
