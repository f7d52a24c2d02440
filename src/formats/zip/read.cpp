#include "formats/zip/read.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <libdeflate.h>

#include <safestructures/data/error.hpp>
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "formats/binary/little_endian.hpp"

namespace safestructures::inline v0::zip {
namespace {

using binary::little_endian;

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
  /// \param ahead the number of bytes to read at once
  Fields(const Source& source, std::uint64_t at, std::size_t ahead = few)
      : source_(source), at_(at), ahead_(ahead) {}

  [[nodiscard]] std::uint64_t position() const noexcept { return at_; }
  /// Returns the next bytes, valid until more are taken.
  [[nodiscard]] std::span<const std::byte> take(std::size_t count) {
    check(count);
    if (at_ < begin_ || at_ + count > begin_ + block_.size()) {
      const std::uint64_t size =
          std::min<std::uint64_t>(std::max(count, ahead_), source_.size() - at_);
      block_.resize(static_cast<std::size_t>(size));
      source_.read(at_, block_);
      begin_ = at_;
    }
    const auto part =
        std::span<const std::byte>(block_).subspan(static_cast<std::size_t>(at_ - begin_), count);
    at_ += count;
    return part;
  }
  std::uint16_t u16() { return static_cast<std::uint16_t>(little_endian(take(2))); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(little_endian(take(4))); }
  std::uint64_t u64() { return little_endian(take(8)); }
  void skip(std::uint64_t count) {
    check(count);
    at_ += count;
  }
  void signature(std::uint32_t wanted, const char* what) {
    const std::uint64_t start = at_;
    if (u32() != wanted)
      fail_archive(
          std::string("the archive is damaged: there is no ") + what + " where one should be",
          {.offset = start});
  }
  std::string text(std::size_t count) {
    const std::span<const std::byte> part = take(count);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

  static constexpr std::size_t few = 128;
  static constexpr std::size_t many = std::size_t{64} << 10U;

 private:
  void check(std::uint64_t count) const {
    if (at_ > source_.size() || count > source_.size() - at_)
      throw Error(ErrorCode::truncated, "the archive ends inside a record",
                  {.expected = std::to_string(count) + " more bytes", .offset = at_});
  }

  const Source& source_;
  std::uint64_t at_;
  std::size_t ahead_;
  std::uint64_t begin_ = 0;  // Of the block.
  std::vector<std::byte> block_;
};

struct Directory {
  std::uint64_t count = 0;
  std::uint64_t begin = 0;
};

constexpr std::uint64_t end_size = 22;

/// Returns the position of the end record: the last bytes, except for a comment.
std::uint64_t find_end(const Source& archive) {
  constexpr std::uint64_t longest_comment = 0xffff;
  if (archive.size() < end_size) fail_archive("the file is too short for a ZIP archive");
  const std::uint64_t last = archive.size() - end_size;
  Fields end(archive, last - std::min(longest_comment, last), Fields::many + end_size);
  const std::uint64_t first = end.position();
  const std::span<const std::byte> tail =
      end.take(static_cast<std::size_t>(archive.size() - first));
  for (std::uint64_t at = last;; --at) {
    const std::span<const std::byte> record = tail.subspan(static_cast<std::size_t>(at - first));
    if (little_endian(record.first(4)) == 0x06054b50 &&
        little_endian(record.subspan(end_size - 2, 2)) == last - at)
      return at;
    if (at == first) break;
  }
  fail_archive("the archive has no end record",
               {.advice = "The file is not complete: copy or download it again"});
}

Directory find_directory(const Source& archive) {
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
void read_zip64(std::span<const std::byte> extra, Entry& entry, std::uint64_t& header) {
  const auto take = [&](std::size_t count) {
    if (extra.size() < count)
      fail_archive("the sizes of a file in the archive are cut off", {.path = entry.name});
    const std::uint64_t number = little_endian(extra.first(count));
    extra = extra.subspan(count);
    return number;
  };
  while (extra.size() >= 4) {
    const std::uint64_t kind = take(2);
    const std::uint64_t size = take(2);
    if (kind != 1) {
      extra = extra.subspan(std::min(static_cast<std::size_t>(size), extra.size()));
      continue;
    }
    for (std::uint64_t* number : {&entry.size, &entry.stored, &header})
      if (*number == in_zip64) *number = take(8);
    return;
  }
}

Entry read_record(Fields& record, const Source& archive) {
  record.signature(0x02014b50, "directory record");
  record.skip(4);
  const std::uint16_t flags = record.u16();
  Entry entry;
  const std::uint16_t method = record.u16();
  entry.is_deflated = method == deflate_method;
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
  read_zip64(record.take(extra_size), entry, header);
  record.skip(comment_size);
  if ((flags & 1U) != 0) fail_archive("a file in the archive is encrypted", {.path = entry.name});
  if (method != stored_method && !entry.is_deflated)
    fail_archive("a file in the archive has an unsupported compression method",
                 {.path = entry.name,
                  .expected = "stored (0) or deflated (8)",
                  .found = "method " + std::to_string(method)});

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

void check_size(const Entry& entry) {
  const bool is_possible =
      entry.is_deflated ? entry.size / most_expansion <= entry.stored : entry.size == entry.stored;
  if (!is_possible)
    fail_archive(
        "a file in the archive announces more than its bytes can hold",
        {.path = entry.name,
         .found = std::to_string(entry.size) + " bytes from " + std::to_string(entry.stored)});
}

/// Checks all files together: each one may be a thousand times as large as what is stored.
void check_expansion(const std::vector<Entry>& entries, std::uint64_t archive,
                     const Limits& limits) {
  const std::uint64_t most = detail::most_unpacked(archive, limits);
  std::uint64_t unpacked = 0;
  for (const Entry& entry : entries) {
    if (!entry.is_deflated) continue;
    if (entry.size > most - unpacked)
      throw detail::past(detail::Limit::expansion, most,
                         {.found = "more in " + std::to_string(archive),
                          .advice = "Raise the limit if you trust the file"});
    unpacked += entry.size;
  }
}

/// Checks that files do not overlap: otherwise a few bytes could be listed a million times, and
/// expand each time.
void check_overlaps(const std::vector<Entry>& entries) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  ranges.reserve(entries.size());
  for (const Entry& entry : entries) ranges.emplace_back(entry.begin, entry.begin + entry.stored);
  std::ranges::sort(ranges);
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first < ranges[i - 1].second || ranges[i].first == ranges[i - 1].first)
      fail_archive("files in the archive overlap", {.offset = ranges[i].first});
}

std::vector<std::byte> inflate_entry(std::span<const std::byte> bytes, const Entry& entry) {
  std::vector<std::byte> result(static_cast<std::size_t>(entry.size));
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>
      decompressor(libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  std::size_t used = 0;
  std::size_t made = 0;
  std::byte nothing{};  // No null pointer, even for no room.
  const libdeflate_result state = libdeflate_deflate_decompress_ex(
      decompressor.get(), bytes.data(), bytes.size(), result.empty() ? &nothing : result.data(),
      result.size(), &used, &made);
  if (state != LIBDEFLATE_SUCCESS || made != result.size() || used != bytes.size())
    fail_archive("a file in the archive does not expand to the size that it announces",
                 {.path = entry.name, .expected = std::to_string(entry.size) + " bytes"});
  return result;
}

void check_crc(std::span<const std::byte> bytes, const Entry& entry) {
  // libdeflate takes a null pointer, as from an empty span, as a request for the initial value.
  if (libdeflate_crc32(0, bytes.data(), bytes.size()) == entry.crc) return;
  throw Error(ErrorCode::checksum_mismatch,
              "the bytes of a file in the archive are not those that were saved",
              {.path = entry.name, .advice = "Copy or download the file again"});
}

}  // namespace

std::vector<Entry> read_directory(const Source& archive, const Limits& limits) {
  constexpr std::uint64_t smallest_record = 46;
  const Directory directory = find_directory(archive);
  if (directory.count > limits.tensors)
    throw detail::past(detail::Limit::tensors, limits.tensors, "the archive holds too many files",
                       {.found = std::to_string(directory.count)});
  if (directory.count > archive.size() / smallest_record)
    fail_archive("the archive announces more files than it has room for",
                 {.found = std::to_string(directory.count)});
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(directory.count));
  std::unordered_set<std::string, detail::KeyedHash, std::equal_to<>> names;
  Fields record(archive, directory.begin, Fields::many);
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

SharedBytes read_entry(const Source& archive, const Entry& entry) {
  SharedBytes result = archive.view(entry.begin, static_cast<std::size_t>(entry.stored));
  if (entry.is_deflated) {
    const auto inflated =
        std::make_shared<const std::vector<std::byte>>(inflate_entry(result.bytes, entry));
    result = {*inflated, inflated};
  }
  check_crc(result.bytes, entry);
  return result;
}

}  // namespace safestructures::inline v0::zip
