/// \file
/// How many processors this process may use, and how many threads a call was allowed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

namespace safestructures::inline v0::platform {

/// The processors of this process's affinity. At least 1. Looked up once, when first asked for.
[[nodiscard]] unsigned affine_processors() noexcept;

/// Those of them that the quotas of its control groups grant. At least 1. Looked up once, when
/// first asked for.
[[nodiscard]] unsigned available_processors() noexcept;

/// The least quota of the control groups that `membership` names, the text of /proc/self/cgroup, as
/// whole processors, rounded up; nothing where none is set.
/// \param root where control groups are mounted: /sys/fs/cgroup
[[nodiscard]] std::optional<unsigned> quota_processors(const std::filesystem::path& root,
                                                       std::string_view membership);

/// The most threads for work of the calling thread; 0: as many as pay.
[[nodiscard]] unsigned& thread_limit() noexcept;

/// Sets it as long as this lives.
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

/// How many threads share work on `total` bytes where one more pays for each `share`; more than two
/// only where quotas grant as many processors.
[[nodiscard]] unsigned threads_for(std::size_t total, std::size_t share) noexcept;

}  // namespace safestructures::inline v0::platform
