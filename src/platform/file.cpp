#include "platform/file.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "platform/parallel.hpp"
#include "platform/system_error.hpp"

namespace safestructures::inline v0::platform {
namespace {

constexpr std::size_t piece_size = std::size_t{8} << 20U;

/// \throws Error unless it is a regular file: others have no size and no positions.
void require_regular(os::Kind kind, const std::filesystem::path& path) {
  const auto refuse = [&](std::string found, std::string advice) {
    throw Error(ErrorCode::cannot_open, "cannot open the file",
                {.file = path.string(),
                 .path = {},
                 .expected = "a regular file",
                 .found = std::move(found),
                 .advice = std::move(advice),
                 .offset = {}});
  };
  const std::string copy_first = "Copy its contents into a file or into memory first";
  switch (kind) {
    case os::Kind::regular: return;
    case os::Kind::directory: return refuse("a folder", "Name a file inside it");
    case os::Kind::pipe: return refuse("a pipe", copy_first);
    case os::Kind::socket: return refuse("a socket", copy_first);
    case os::Kind::device: return refuse("a device", copy_first);
    case os::Kind::link:
    case os::Kind::other: return refuse("something else", copy_first);
  }
}

}  // namespace

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  file_ = os::open_for_reading(path_, error);
  if (error) throw system_error(ErrorCode::cannot_open, "cannot open the file", path_, error);
  const os::Status status = os::status(file_, error);
  if (error) throw system_error(ErrorCode::cannot_open, "cannot examine the file", path_, error);
  require_regular(status.kind, path_);
  size_ = status.size;
}

void InputFile::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  std::uint64_t position = offset;
  while (!into.empty()) {
    std::error_code error;
    const std::size_t count = os::read_some(file_, position, into, error);
    if (error) {
      throw system_error(ErrorCode::cannot_read, "cannot read the file", path_, error, position);
    }
    if (count == 0) {
      const std::uint64_t found = position - offset;
      throw Error(ErrorCode::truncated, "the file ends too early",
                  {.file = path_.string(),
                   .path = {},
                   .expected = std::to_string(found + into.size()) + " bytes",
                   .found = std::to_string(found),
                   .advice = "It may have been cut short while it was copied or downloaded",
                   .offset = offset});
    }
    position += count;
    into = into.subspan(count);
  }
}

void InputFile::read_parallel(std::uint64_t offset, std::span<std::byte> into) const {
  if (into.size() >= two_threads_from && !is_cached(offset, into.size())) {
    // Reading in two places keeps a disk from reading ahead: 300 ms per GiB in order, 700 ms
    // otherwise.
    os::advise_sequential(file_);
    return read_at(offset, into);
  }
  in_pieces(into.size(), piece_size, [&](std::size_t begin, std::size_t size, unsigned) {
    read_at(offset + begin, into.subspan(begin, size));
  });
}

bool InputFile::is_cached(std::uint64_t offset, std::uint64_t size) const noexcept {
  for (const std::uint64_t place : {offset, offset + size / 2, offset + size - 1})
    if (!os::is_cached(file_, place)) return false;
  return true;
}

}  // namespace safestructures::inline v0::platform
