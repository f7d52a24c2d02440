/// \file
/// The number of processors that this process may use, and of threads that a call may use.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

namespace safestructures::inline v0::platform {

/// Returns the processors in this process's affinity mask, at least 1. Determined once, on first
/// use.
[[nodiscard]] unsigned affine_processors() noexcept;

/// Returns how many of them the quotas of its control groups grant, at least 1. Determined once, on
/// first use.
[[nodiscard]] unsigned available_processors() noexcept;

/// Returns the smallest quota of the control groups that `membership`, the text of
/// /proc/self/cgroup, names, in whole processors, rounded up; null if none is set.
/// \param root where control groups are mounted: /sys/fs/cgroup
[[nodiscard]] std::optional<unsigned> quota_processors(const std::filesystem::path& root,
                                                       std::string_view membership);

/// The most threads for work of the calling thread; 0 for as many as pay off.
[[nodiscard]] unsigned& thread_limit() noexcept;

/// Sets the thread limit as long as this lives.
class LimitScope {
 public:
  explicit LimitScope(unsigned threads) noexcept : before_(thread_limit()) {
    thread_limit() = threads;
  }
  ~LimitScope() { thread_limit() = before_; }
  LimitScope(const LimitScope&) = delete;
  LimitScope& operator=(const LimitScope&) = delete;

 private:
  unsigned before_;
};

/// Returns how many threads should share work on `total` bytes, if each `share` justifies one more;
/// more than two only if quotas grant as many processors.
[[nodiscard]] unsigned threads_for(std::size_t total, std::size_t share) noexcept;

}  // namespace safestructures::inline v0::platform
