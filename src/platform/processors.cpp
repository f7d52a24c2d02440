#include "platform/processors.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "platform/os.hpp"

namespace safestructures::inline v0::platform {
namespace {

// For work that moves bytes, more threads only compete for the memory bus or the lock of the file.
constexpr unsigned most_threads = 16;
// A limit on explicit requests, so that a typo cannot exhaust the system.
constexpr unsigned most_asked = 256;

// Does not use a stream, whose first use in a process takes as long as comparing 2,000 small
// tensors.
std::optional<std::string> text_of(const std::filesystem::path& path) {
  constexpr std::size_t together = 4096;
  std::error_code error;
  const os::File file = os::open_for_reading(path, error);
  std::string text;
  for (std::size_t size = 0; !error; size = text.size()) {
    text.resize(size + together);
    const std::span<char> rest(text.data() + size, together);
    const std::size_t count = os::read_some(file, size, std::as_writable_bytes(rest), error);
    text.resize(size + count);
    if (count == 0) break;
  }
  return error ? std::nullopt : std::optional(std::move(text));
}

/// Removes and returns the number at the start of a text, and a space after it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  return number;
}

/// Converts microseconds of processor time per period to processors.
std::optional<unsigned> processors_of(std::string_view quota, std::string_view period) {
  const std::optional<std::uint64_t> time = take_number(quota);
  const std::optional<std::uint64_t> of = take_number(period);
  if (!time || !of || *of == 0) return std::nullopt;  // "max", or -1 in version 1.
  const std::uint64_t whole = *time / *of + (*time % *of == 0 ? 0 : 1);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(whole, 1, most_asked));
}

std::optional<unsigned> quota_of(const std::filesystem::path& group) {
  if (const auto text = text_of(group / "cpu.max")) {
    const std::size_t space = std::min(text->find(' '), text->size());
    return processors_of(std::string_view(*text).substr(0, space),
                         std::string_view(*text).substr(std::min(space + 1, text->size())));
  }
  const auto quota = text_of(group / "cpu.cfs_quota_us");
  const auto period = text_of(group / "cpu.cfs_period_us");
  return quota && period ? processors_of(*quota, *period) : std::nullopt;
}

/// Whether a line of /proc/self/cgroup, such as "4:cpu,cpuacct", is of version 2 or has the
/// controller.
bool has_processors(std::string_view controllers) {
  for (;;) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "cpu") return true;
    if (comma == controllers.size()) return false;
    controllers.remove_prefix(comma + 1);
  }
}

}  // namespace

std::optional<unsigned> quota_processors(const std::filesystem::path& root,
                                         std::string_view membership) {
  std::optional<unsigned> least;
  const auto bound = [&](const std::filesystem::path& group) {
    if (const auto quota = quota_of(group)) least = std::min(least.value_or(*quota), *quota);
  };
  while (!membership.empty()) {
    const std::size_t end = std::min(membership.find('\n'), membership.size());
    std::string_view line = membership.substr(0, end);
    membership.remove_prefix(std::min(end + 1, membership.size()));
    const std::size_t number_end = line.find(':');
    if (number_end == std::string_view::npos) continue;
    line.remove_prefix(number_end + 1);
    const std::size_t names_end = line.find(':');
    if (names_end == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(0, names_end);
    std::string_view group = line.substr(names_end + 1);
    if (!controllers.empty() && !has_processors(controllers)) continue;
    const std::filesystem::path mount = controllers.empty() ? root : root / controllers;
    // All ancestor groups count. In a container, its own group may be mounted as the root.
    for (;;) {
      while (group.ends_with('/')) group.remove_suffix(1);
      while (group.starts_with('/')) group.remove_prefix(1);
      bound(mount / group);
      if (group.empty()) break;
      const std::size_t slash = group.rfind('/');
      group = slash == std::string_view::npos ? std::string_view() : group.substr(0, slash);
    }
  }
  return least;
}

unsigned affine_processors() noexcept {
  static const unsigned count = os::affine_processors();
  return count;
}

unsigned available_processors() noexcept {
  static const unsigned count = [] {
    const unsigned allowed = affine_processors();
    try {
      const auto membership = text_of("/proc/self/cgroup");
      if (!membership) return allowed;
      return std::min(allowed, quota_processors("/sys/fs/cgroup", *membership).value_or(allowed));
    } catch (const std::exception&) {
      return allowed;  // No memory for a few lines of text: others will report that.
    }
  }();
  return count;
}

unsigned& thread_limit() noexcept {
  thread_local unsigned limit = 0;
  return limit;
}

unsigned threads_for(std::size_t total, std::size_t share) noexcept {
  const std::size_t worth = total / share;
  if (worth < 2) return 1;
  const auto at_most = [worth](unsigned most) {
    return static_cast<unsigned>(std::min<std::size_t>(worth, most));
  };
  if (const unsigned asked = thread_limit(); asked != 0)
    return at_most(std::min(asked, most_asked));
  const unsigned threads = at_most(std::min(affine_processors(), most_threads));
  // Reading quotas takes 0.1 ms, as long as comparing 500 small tensors, and two threads that share
  // a quota of one processor took no longer than one.
  return threads <= 2 ? threads : std::min(threads, available_processors());
}

}  // namespace safestructures::inline v0::platform
