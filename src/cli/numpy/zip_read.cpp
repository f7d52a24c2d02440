#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "cli/numpy/zip.hpp"
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"

namespace safestructures::cli {
namespace {

constexpr std::uint16_t stored_method = 0;
constexpr std::uint16_t deflate_method = 8;
constexpr std::uint32_t in_zip64 = 0xffffffff;
/// The most that a byte of deflated data can expand to; RFC 1951's longest match is 258 bytes from
/// 2 bits.
constexpr std::uint64_t most_expansion = 1032;

[[noreturn]] void fail_archive(std::string problem, ErrorDetails details = {}) {
  throw Error(ErrorCode::invalid_header, std::move(problem), std::move(details));
}

/// Reads little-endian numbers in order, checking that each is there.
class Fields {
 public:
  Fields(std::span<const std::byte> bytes, std::uint64_t at) : bytes_(bytes), at_(at) {}

  [[nodiscard]] std::uint64_t position() const noexcept { return at_; }
  [[nodiscard]] std::span<const std::byte> take(std::uint64_t count) {
    if (at_ > bytes_.size() || count > bytes_.size() - at_)
      throw Error(ErrorCode::truncated, "the archive ends inside a record",
                  {.expected = std::to_string(count) + " more bytes", .offset = at_});
    const auto part =
        bytes_.subspan(static_cast<std::size_t>(at_), static_cast<std::size_t>(count));
    at_ += count;
    return part;
  }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  void skip(std::uint64_t count) { static_cast<void>(take(count)); }
  void signature(std::uint32_t wanted, const char* what) {
    const std::uint64_t start = at_;
    if (u32() != wanted)
      fail_archive(
          std::string("the archive is damaged: there is no ") + what + " where one should be",
          {.offset = start});
  }
  std::string text(std::uint64_t count) {
    const std::span<const std::byte> part = take(count);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

 private:
  std::uint64_t number(std::size_t width) {
    const std::span<const std::byte> part = take(width);
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;)
      value = value << 8U | std::to_integer<std::uint64_t>(part[i]);
    return value;
  }

  std::span<const std::byte> bytes_;
  std::uint64_t at_;
};

struct Directory {
  std::uint64_t count = 0;
  std::uint64_t begin = 0;
};

constexpr std::uint64_t end_size = 22;

/// Returns the position of the end record: the last bytes, except for a comment.
std::uint64_t find_end(std::span<const std::byte> archive) {
  constexpr std::uint64_t longest_comment = 0xffff;
  if (archive.size() < end_size) fail_archive("the file is too short for a ZIP archive");
  const std::uint64_t last = archive.size() - end_size;
  for (std::uint64_t back = 0; back <= std::min(longest_comment, last); ++back) {
    Fields end(archive, last - back);
    if (end.u32() != 0x06054b50) continue;
    end.skip(16);
    if (end.u16() == back) return last - back;
  }
  fail_archive("the archive has no end record",
               {.advice = "The file is not complete: copy or download it again"});
}

Directory find_directory(std::span<const std::byte> archive) {
  constexpr std::uint64_t locator_size = 20;
  const std::uint64_t at = find_end(archive);
  Fields end(archive, at + 10);
  Directory directory{.count = end.u16(), .begin = 0};
  end.skip(4);
  directory.begin = end.u32();
  if (at < locator_size) return directory;
  Fields locator(archive, at - locator_size);
  if (locator.u32() != 0x07064b50) return directory;
  locator.skip(4);
  Fields wide(archive, locator.u64());
  wide.signature(0x06064b50, "ZIP64 end record");
  wide.skip(28);
  directory.count = wide.u64();
  wide.skip(8);
  directory.begin = wide.u64();
  return directory;
}

/// Reads numbers that do not fit 32 bits from an extra field, which has them in this order.
void read_zip64(Fields extra, std::uint64_t end, ZipEntry& entry, std::uint64_t& header) {
  while (extra.position() + 4 <= end) {
    const std::uint16_t kind = extra.u16();
    const std::uint16_t size = extra.u16();
    if (kind != 1) {
      extra.skip(size);
      continue;
    }
    for (std::uint64_t* number : {&entry.size, &entry.stored, &header})
      if (*number == in_zip64) *number = extra.u64();
    return;
  }
}

ZipEntry read_record(Fields& record, std::span<const std::byte> archive) {
  record.signature(0x02014b50, "directory record");
  record.skip(4);
  const std::uint16_t flags = record.u16();
  ZipEntry entry;
  entry.method = record.u16();
  record.skip(4);
  entry.crc = record.u32();
  entry.stored = record.u32();
  entry.size = record.u32();
  const std::uint16_t name_size = record.u16();
  const std::uint16_t extra_size = record.u16();
  const std::uint16_t comment_size = record.u16();
  record.skip(8);
  std::uint64_t header = record.u32();
  entry.name = record.text(name_size);
  read_zip64(record, record.position() + extra_size, entry, header);
  record.skip(std::uint64_t{extra_size} + comment_size);
  if ((flags & 1U) != 0) fail_archive("a file in the archive is encrypted", {.path = entry.name});
  if (entry.method != stored_method && entry.method != deflate_method)
    fail_archive("a file in the archive has an unsupported compression method",
                 {.path = entry.name,
                  .expected = "stored (0) or deflated (8)",
                  .found = "method " + std::to_string(entry.method)});

  Fields local(archive, header);
  local.signature(0x04034b50, "file header");
  local.skip(22);
  const std::uint16_t local_name = local.u16();
  const std::uint16_t local_extra = local.u16();
  if (local.text(local_name) != entry.name)
    fail_archive("a file has one name in the archive's directory and another in its own header",
                 {.path = entry.name, .offset = header});
  local.skip(local_extra);
  entry.begin = local.position();
  local.skip(entry.stored);
  return entry;
}

void check_size(const ZipEntry& entry) {
  const bool is_possible = entry.method == stored_method
                               ? entry.size == entry.stored
                               : entry.size / most_expansion <= entry.stored;
  if (!is_possible)
    fail_archive(
        "a file in the archive announces more than its bytes can hold",
        {.path = entry.name,
         .found = std::to_string(entry.size) + " bytes from " + std::to_string(entry.stored)});
}

/// Checks all files together: each one may be a thousand times as large as what is stored.
void check_expansion(const std::vector<ZipEntry>& entries, std::uint64_t archive,
                     const Limits& limits) {
  const std::uint64_t most = detail::most_unpacked(archive, limits);
  std::uint64_t unpacked = 0;
  for (const ZipEntry& entry : entries) {
    if (entry.method == stored_method) continue;
    if (entry.size > most - unpacked)
      throw detail::past(detail::Limit::expansion, most,
                         {.found = "more in " + std::to_string(archive),
                          .advice = "Raise the limit if you trust the file"});
    unpacked += entry.size;
  }
}

/// Checks that files do not overlap: otherwise a few bytes could be listed a million times, and
/// expand each time.
void check_overlaps(const std::vector<ZipEntry>& entries) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  ranges.reserve(entries.size());
  for (const ZipEntry& entry : entries)
    ranges.emplace_back(entry.begin, entry.begin + entry.stored);
  std::ranges::sort(ranges);
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first < ranges[i - 1].second || ranges[i].first == ranges[i - 1].first)
      fail_archive("files in the archive overlap", {.offset = ranges[i].first});
}

std::vector<std::byte> inflate_entry(std::span<const std::byte> bytes, const ZipEntry& entry) {
  std::vector<std::byte> result(static_cast<std::size_t>(entry.size));
  z_stream stream{};
  // The minus: without zlib's own header.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> guard(&stream, &inflateEnd);
  std::span<std::byte> room = result;
  int state = Z_OK;
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  std::byte nothing{};  // zlib does not accept a null pointer, even for no room.
  while (state == Z_OK) {
    const std::size_t in = std::min(most, bytes.size());
    const std::size_t out = std::min(most, room.size());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out == 0 ? &nothing : room.data());
    stream.avail_out = static_cast<uInt>(out);
    state = inflate(&stream, Z_NO_FLUSH);
    bytes = bytes.subspan(in - stream.avail_in);
    room = room.subspan(out - stream.avail_out);
  }
  if (state != Z_STREAM_END || !room.empty() || !bytes.empty())
    fail_archive("a file in the archive does not expand to the size that it announces",
                 {.path = entry.name, .expected = std::to_string(entry.size) + " bytes"});
  return result;
}

void check_crc(std::span<const std::byte> bytes, const ZipEntry& entry) {
  if (crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) == entry.crc) return;
  throw Error(ErrorCode::checksum_mismatch,
              "the bytes of a file in the archive are not those that were saved",
              {.path = entry.name, .advice = "Copy or download the file again"});
}

}  // namespace

std::vector<ZipEntry> read_directory(std::span<const std::byte> archive, const Limits& limits) {
  constexpr std::uint64_t smallest_record = 46;
  const Directory directory = find_directory(archive);
  if (directory.count > limits.tensors)
    throw detail::past(detail::Limit::tensors, limits.tensors, "the archive holds too many files",
                       {.found = std::to_string(directory.count)});
  if (directory.count > archive.size() / smallest_record)
    fail_archive("the archive announces more files than it has room for",
                 {.found = std::to_string(directory.count)});
  std::vector<ZipEntry> entries;
  entries.reserve(static_cast<std::size_t>(directory.count));
  std::unordered_set<std::string, detail::KeyedHash> names;
  Fields record(archive, directory.begin);
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    entries.push_back(read_record(record, archive));
    check_size(entries.back());
    if (!names.insert(entries.back().name).second)
      throw Error(ErrorCode::duplicate_name, "the archive holds two files with the same name",
                  {.path = entries.back().name});
  }
  check_overlaps(entries);
  check_expansion(entries, archive.size(), limits);
  return entries;
}

SharedBytes read_entry(const SharedBytes& archive, const ZipEntry& entry) {
  const std::span<const std::byte> stored = archive.bytes.subspan(
      static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(entry.stored));
  SharedBytes result{stored, archive.owner};
  if (entry.method == deflate_method) {
    const auto inflated =
        std::make_shared<const std::vector<std::byte>>(inflate_entry(stored, entry));
    result = {*inflated, inflated};
  }
  check_crc(result.bytes, entry);
  return result;
}

}  // namespace safestructures::cli
