#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/error.hpp>
#include "cli/numpy/zip_writer.hpp"

namespace safestructures::cli {
namespace {

constexpr std::uint32_t in_zip64 = 0xffffffff;
constexpr std::uint16_t version = 45;  // The version of ZIP64.
constexpr std::uint16_t utf8_names = 1U << 11U;
// 1980-01-01, so that equal input gives equal bytes.
constexpr std::uint32_t first_day = 1U << 21U | 1U << 16U;

void append(std::string& text, std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
}

/// Appends the common part of a file's header and its directory record, up to the length of the
/// name.
void append_common(std::string& text, std::uint32_t crc) {
  append(text, version, 2);
  append(text, utf8_names, 2);
  append(text, 0, 2);  // Stored.
  append(text, first_day, 4);
  append(text, crc, 4);
  append(text, in_zip64, 4);
  append(text, in_zip64, 4);
}

}  // namespace

void ZipWriter::write(const std::string& text) {
  sink_.write_copied(std::as_bytes(std::span(text)));
}

void ZipWriter::add(std::string_view name, std::string_view head,
                    std::span<const std::byte> bytes) {
  if (name.size() > 0xffff)
    throw Error(ErrorCode::invalid_argument, "a name is too long for a ZIP archive",
                {.expected = "at most 65535 bytes", .found = std::to_string(name.size())});
  auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size());
  // zlib takes a null pointer, as from an empty span, as a request for the initial checksum.
  if (!bytes.empty())
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  const auto checksum = static_cast<std::uint32_t>(crc);
  const std::uint64_t size = head.size() + bytes.size();
  const std::uint64_t begin = sink_.position() - start_;

  std::string header;
  append(header, 0x04034b50, 4);
  append_common(header, checksum);
  append(header, name.size(), 2);
  append(header, 20, 2);
  header += name;
  append(header, 1, 2);
  append(header, 16, 2);
  append(header, size, 8);
  append(header, size, 8);
  header += head;
  write(header);
  sink_.write_copied(bytes);

  append(directory_, 0x02014b50, 4);
  append(directory_, version, 2);
  append_common(directory_, checksum);
  append(directory_, name.size(), 2);
  append(directory_, 28, 2);
  append(directory_, 0, 2);  // No comment.
  append(directory_, 0, 8);  // Disk and attributes.
  append(directory_, in_zip64, 4);
  directory_ += name;
  append(directory_, 1, 2);
  append(directory_, 24, 2);
  append(directory_, size, 8);
  append(directory_, size, 8);
  append(directory_, begin, 8);
  ++count_;
}

void ZipWriter::finish() {
  const std::uint64_t begin = sink_.position() - start_;
  const std::uint64_t size = directory_.size();
  // An archive without files is recognised by its plain end record at the beginning, and needs no
  // other.
  if (count_ == 0) {
    append(directory_, 0x06054b50, 4);
    append(directory_, 0, 8);  // Disks and counts.
    append(directory_, 0, 8);  // The size and place of the directory.
    append(directory_, 0, 2);  // No comment.
    return write(directory_);
  }
  append(directory_, 0x06064b50, 4);
  append(directory_, 44, 8);
  append(directory_, version, 2);
  append(directory_, version, 2);
  append(directory_, 0, 8);  // Disks.
  append(directory_, count_, 8);
  append(directory_, count_, 8);
  append(directory_, size, 8);
  append(directory_, begin, 8);
  append(directory_, 0x07064b50, 4);
  append(directory_, 0, 4);
  append(directory_, begin + size, 8);
  append(directory_, 1, 4);
  append(directory_, 0x06054b50, 4);
  append(directory_, 0, 4);
  append(directory_, 0xffff, 2);
  append(directory_, 0xffff, 2);
  append(directory_, in_zip64, 4);
  append(directory_, in_zip64, 4);
  append(directory_, 0, 2);
  write(directory_);
}

}  // namespace safestructures::cli
