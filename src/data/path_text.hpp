/// \file
/// The bound on paths that are kept.
#pragma once

#include <cstdint>
#include <string_view>

namespace safestructures::inline v0::detail {

/// Counts the text of paths, for who keeps one of each node: of a file of 1 MB with one key of 200
/// KB above 8,000 nodes they are 1.6 GB.
class PathText {
 public:
  /// \param file whose paths they are, for the error; outlives this
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
