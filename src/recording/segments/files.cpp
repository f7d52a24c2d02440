#include "recording/segments/files.hpp"

#include <charconv>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "platform/system_error.hpp"

namespace safestructures::inline v0::recording {
namespace {

constexpr std::string_view prefix = "segment-";
constexpr std::string_view sealed_suffix = ".safetensors";
constexpr std::string_view part_suffix = ".part";
constexpr std::string_view journal_suffix = ".journal";
constexpr std::size_t digits = 6;
// Far above what any recorder uses, and counting on from there does not overflow.
constexpr std::uint64_t largest_segment = std::uint64_t{1} << 48U;
// The limit on missing segments to look for in total. A crafted folder may leave out any number.
constexpr std::uint64_t most_looked_for = 1000;

std::filesystem::path file_of(const std::filesystem::path& folder, std::uint64_t segment,
                              std::string_view suffix) {
  std::string number = std::to_string(segment);
  if (number.size() < digits) number.insert(0, digits - number.size(), '0');
  return folder / (std::string(prefix) + number + std::string(suffix));
}

}  // namespace

std::filesystem::path from_root(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(folder, error);
  return error ? folder : whole;
}

std::filesystem::path sealed_file(const std::filesystem::path& folder, std::uint64_t segment) {
  return file_of(folder, segment, sealed_suffix);
}
std::filesystem::path part_file(const std::filesystem::path& folder, std::uint64_t segment) {
  return file_of(folder, segment, part_suffix);
}
std::filesystem::path journal_file(const std::filesystem::path& folder, std::uint64_t segment) {
  return file_of(folder, segment, journal_suffix);
}
std::filesystem::path new_file(const std::filesystem::path& folder) {
  return folder / "recording.new";
}
std::filesystem::path lock_file(const std::filesystem::path& folder) {
  return folder / "recording.lock";
}

std::optional<platform::os::Status> status_of(const std::filesystem::path& path) {
  std::error_code error;
  const platform::os::Status status = platform::os::status(path, error);
  if (error == std::errc::no_such_file_or_directory) return std::nullopt;
  if (error)
    throw platform::system_error(ErrorCode::cannot_read, "cannot examine the file", path, error);
  return status;
}

std::map<std::uint64_t, SegmentFiles> list_segments(const std::filesystem::path& folder) {
  std::map<std::uint64_t, SegmentFiles> segments;
  std::error_code error;
  platform::os::Listing names(folder, error);
  if (error)
    throw platform::system_error(ErrorCode::cannot_open, "cannot open the folder of a recording",
                                 folder, error);
  for (;;) {
    const std::string_view name = names.next(error);
    if (name.empty()) break;
    if (!name.starts_with(prefix)) continue;
    std::uint64_t number = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, fault] = std::from_chars(name.data() + prefix.size(), end, number);
    // Only names as this library writes them: segment-7.part belongs to someone else.
    if (fault != std::errc() || number == 0 || number > largest_segment) continue;
    const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
    if (file_of({}, number, suffix).string() != name) continue;
    if (suffix == sealed_suffix) segments[number].sealed = true;
    if (suffix == part_suffix) segments[number].part = true;
    if (suffix == journal_suffix) segments[number].journal = true;
  }
  if (error)
    throw platform::system_error(ErrorCode::cannot_read, "cannot read the folder of a recording",
                                 folder, error);
  look_again(folder, segments);
  return segments;
}

void look_again(const std::filesystem::path& folder,
                std::map<std::uint64_t, SegmentFiles>& segments) {
  const auto is_sealed = [&](std::uint64_t number) {
    std::error_code error;
    return std::filesystem::exists(sealed_file(folder, number), error);
  };
  std::uint64_t left = most_looked_for;
  std::uint64_t expected = 1;
  for (auto next = segments.begin(); next != segments.end(); ++next) {
    const std::uint64_t number = next->first;
    if (number - expected > left) expected = number - left;
    left -= number - expected;
    for (; expected < number; ++expected)
      if (is_sealed(expected)) segments[expected].sealed = true;
    if (!next->second.sealed && std::next(next) != segments.end())
      next->second.sealed = is_sealed(number);
    expected = number + 1;
  }
}

std::string missing_text(std::uint64_t first, std::uint64_t last) {
  if (first == last) return "segment " + std::to_string(first) + " is missing";
  return "segments " + std::to_string(first) + " to " + std::to_string(last) + " are missing";
}

std::map<std::uint64_t, SegmentFiles> segments_of(const std::filesystem::path& folder) {
  std::map<std::uint64_t, SegmentFiles> segments = list_segments(folder);
  std::error_code error;
  if (segments.empty() && !std::filesystem::exists(lock_file(folder), error))
    throw Error(ErrorCode::cannot_open, "the folder is not a recording",
                {.file = folder.string(),
                 .expected = sealed_file({}, 1).string() + " or " + lock_file({}).string(),
                 .found = "neither",
                 .advice = "Name the folder that the recorder was given"});
  return segments;
}

FolderLock::FolderLock(const std::filesystem::path& folder, std::string busy) {
  std::error_code error;
  const std::filesystem::path path = lock_file(folder);
  file_ = platform::os::open_locked(path, error);
  if (error == std::errc::resource_unavailable_try_again)
    throw Error(ErrorCode::cannot_write, std::move(busy),
                {.file = folder.string(),
                 .expected = "a folder that no process writes to",
                 .found = "its lock held by a running process",
                 .advice = "Close the recorder, or end its process and those that it forked"});
  if (error)
    throw platform::system_error(ErrorCode::cannot_write, "cannot lock the folder of a recording",
                                 path, error);
}

void FolderLock::release() noexcept {
  // Closing alone would leave the lock to the processes that were forked meanwhile.
  if (file_.is_open() && platform::os::fork_count() == forks_) platform::os::unlock(file_);
  static_cast<void>(file_.close());
}

void write_at(const platform::os::File& file, const std::filesystem::path& path,
              std::uint64_t offset, std::span<platform::os::Bytes> blocks) {
  while (!blocks.empty()) {
    std::error_code error;
    std::size_t count = platform::os::write_some(file, offset, blocks, error);
    if (!error && count == 0) error = make_error_code(std::errc::io_error);
    if (error)
      throw platform::system_error(ErrorCode::cannot_write, "cannot write the file", path, error,
                                   offset);
    offset += count;
    for (; !blocks.empty() && count >= blocks.front().size(); blocks = blocks.subspan(1))
      count -= blocks.front().size();
    if (count != 0) blocks.front() = blocks.front().subspan(count);
  }
}

void write_at(const platform::os::File& file, const std::filesystem::path& path,
              std::uint64_t offset, platform::os::Bytes bytes) {
  if (!bytes.empty()) write_at(file, path, offset, std::span(&bytes, 1));
}

void check_written(const std::error_code& error, const char* operation,
                   const std::filesystem::path& path) {
  if (error) throw platform::system_error(ErrorCode::cannot_write, operation, path, error);
}

}  // namespace safestructures::inline v0::recording
