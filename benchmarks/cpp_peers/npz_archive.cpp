#include <zlib.h>

#include <cstring>
#include <limits>

#include "npz.hpp"
#include "side_by_side/measure.hpp"

namespace bench {
namespace {

// PKWARE's APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16; the processors that this is measured on
// are little-endian, as the format is.
#pragma pack(push, 1)
struct LocalHeader {
  std::uint32_t signature = 0x04034b50;
  std::uint16_t version = 20, flags = 0, method = 0, time = 0, date = 0x21;
  std::uint32_t crc = 0, packed = 0, size = 0;
  std::uint16_t name = 0, extra = 0;
};
struct DirectoryHeader {
  std::uint32_t signature = 0x02014b50;
  std::uint16_t made_by = 20, version = 20, flags = 0, method = 0, time = 0, date = 0x21;
  std::uint32_t crc = 0, packed = 0, size = 0;
  std::uint16_t name = 0, extra = 0, comment = 0, disk = 0, internal = 0;
  std::uint32_t external = 0, offset = 0;
};
struct EndOfDirectory {
  std::uint32_t signature = 0x06054b50;
  std::uint16_t disk = 0, directory_disk = 0, entries_here = 0, entries = 0;
  std::uint32_t bytes = 0, offset = 0;
  std::uint16_t comment = 0;
};
#pragma pack(pop)

std::string npy_header(std::string_view type, std::string_view shape) {
  std::string header = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (" +
                       std::string(shape) + "), }";
  constexpr std::size_t before = 10;
  header.resize((header.size() + 1 + before + 63) / 64 * 64 - before - 1, ' ');
  header += '\n';
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(header.size() & 0xff);
  start += static_cast<char>(header.size() >> 8);
  return start + header;
}

template <class T>
std::string_view bytes_of(const T& object) {
  return {reinterpret_cast<const char*>(&object), sizeof object};
}

}  // namespace

NpzWriter::NpzWriter(const std::string& file) : file_(std::fopen(file.c_str(), "wb")) {
  require(file_ != nullptr, "cannot make the file");
}

void NpzWriter::write(const void* data, std::size_t bytes) {
  require(std::fwrite(data, 1, bytes, file_.get()) == bytes, "cannot write");
  offset_ += bytes;
}

void NpzWriter::add(std::string_view name, std::string_view type, std::string_view shape,
                    const void* data, std::size_t bytes) {
  require(++count_ <= std::numeric_limits<std::uint16_t>::max(),
          "a zip archive without zip64, as cnpy writes it, has at most 65,535 arrays");
  const std::string header = npy_header(type, shape);
  const std::string file_name = std::string(name) + ".npy";
  DirectoryHeader entry;
  entry.crc = static_cast<std::uint32_t>(crc32_z(
      crc32(0, reinterpret_cast<const Bytef*>(header.data()), static_cast<uInt>(header.size())),
      static_cast<const Bytef*>(data), bytes));
  entry.size = entry.packed = static_cast<std::uint32_t>(header.size() + bytes);
  entry.name = static_cast<std::uint16_t>(file_name.size());
  entry.offset = static_cast<std::uint32_t>(offset_);
  directory_.append(bytes_of(entry)).append(file_name);
  const LocalHeader local{
      .crc = entry.crc, .packed = entry.packed, .size = entry.size, .name = entry.name};
  write(&local, sizeof local);
  write(file_name.data(), file_name.size());
  write(header.data(), header.size());
  write(data, bytes);
}

void NpzWriter::finish() {
  EndOfDirectory end;
  end.entries = end.entries_here = static_cast<std::uint16_t>(count_);
  end.bytes = static_cast<std::uint32_t>(directory_.size());
  end.offset = static_cast<std::uint32_t>(offset_);
  write(directory_.data(), directory_.size());
  write(&end, sizeof end);
  require(std::fclose(file_.release()) == 0, "cannot write");
}

NpzReader::NpzReader(const std::string& file) : file_(std::fopen(file.c_str(), "rb")) {
  require(file_ != nullptr, "cannot open the file");
  EndOfDirectory end;
  std::fseek(file_.get(), -static_cast<long>(sizeof end), SEEK_END);
  read(&end, sizeof end);
  require(end.signature == EndOfDirectory().signature, "no zip archive");
  std::string directory(end.bytes, '\0');
  std::fseek(file_.get(), end.offset, SEEK_SET);
  read(directory.data(), directory.size());
  for (std::size_t at = 0; at < directory.size();) {
    DirectoryHeader header;
    std::memcpy(&header, directory.data() + at, sizeof header);
    at += sizeof header;
    entries_.emplace(directory.substr(at, header.name - 4U), Entry{header.offset, header.size});
    at += header.name;
  }
}

std::size_t NpzReader::find(const std::string& name) {
  const Entry entry = entries_.at(name);
  std::fseek(file_.get(), entry.offset, SEEK_SET);
  LocalHeader local;
  read(&local, sizeof local);
  std::fseek(file_.get(), local.name + local.extra + 8, SEEK_CUR);
  std::uint16_t header = 0;
  read(&header, sizeof header);
  std::fseek(file_.get(), header, SEEK_CUR);
  return entry.bytes - header - 10U;
}

void NpzReader::read(void* target, std::size_t bytes) {
  require(std::fread(target, 1, bytes, file_.get()) == bytes, "cannot read");
}

}  // namespace bench
