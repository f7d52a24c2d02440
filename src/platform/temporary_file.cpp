#include "platform/temporary_file.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "platform/split_mix.hpp"

namespace safestructures::inline v0::platform {
namespace {

/// Returns eight characters that two savers are unlikely to share. Exclusive creation decides; this
/// only saves attempts.
std::string random_name() {
  static std::atomic<std::uint64_t> count{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  std::uint64_t state = static_cast<std::uint64_t>(now) + (count.fetch_add(1) << 48U) +
                        reinterpret_cast<std::uintptr_t>(&now);
  // The state differs only in a few bits from that of another process.
  state = split_mix(state);
  std::string name;
  for (int digit = 0; digit < 8; ++digit, state /= 36) {
    name += "abcdefghijklmnopqrstuvwxyz0123456789"[state % 36];
  }
  return name;
}

std::filesystem::path temporary_beside(const std::filesystem::path& target) {
  // File systems allow 255 bytes, some of them fewer; the name only helps people.
  constexpr std::size_t longest_part = 120;
  std::string name = target.filename().string();
  if (name.size() > longest_part) {
    name.resize(longest_part);
    while (!name.empty() && static_cast<unsigned char>(name.back()) >= 0x80) name.pop_back();
  }
  return target.parent_path() / ("." + name + "." + random_name() + ".tmp");
}

}  // namespace

void TemporaryFile::create(const std::filesystem::path& target, std::uint32_t permissions,
                           std::error_code& error) {
  error = make_error_code(std::errc::file_exists);
  for (int attempt = 0; attempt < 100 && error == std::errc::file_exists; ++attempt) {
    std::filesystem::path name = temporary_beside(target);
    file_ = os::create_temporary(name, permissions, noted_, error);
    if (!error) path_ = std::move(name);
  }
}

void TemporaryFile::rename_to(const std::filesystem::path& target, std::error_code& error) {
  os::rename(path_, target, error);
  if (!error) forget();
}

void TemporaryFile::discard() noexcept {
  static_cast<void>(file_.close());
  // A forked child leaves its parent's file alone.
  if (!path_.empty() && os::process_id() == process_) os::remove(path_);
  forget();
}

void TemporaryFile::forget() noexcept {
  os::forget_temporary(std::exchange(noted_, nullptr));
  path_.clear();
}

}  // namespace safestructures::inline v0::platform
