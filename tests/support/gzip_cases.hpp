/// \file
/// Handmade gzip files, for tests of malformed ones: the header and trailer of RFC 1952 around
/// stored blocks of deflate, with checksums computed bit by bit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/text.hpp"

namespace safestructures::test {

inline std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int i = 0; i < 8; ++i) crc = crc >> 1U ^ (0xEDB88320U & (0U - (crc & 1U)));
  }
  return ~crc;
}

inline std::string little_endian(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFFU);
  return text;
}

/// The parts before and after the deflate data, each of which a case may spoil.
struct GzipMember {
  std::string content;
  std::string header = std::string("\x1F\x8B\x08\0\0\0\0\0\0\xFF", 10);

  [[nodiscard]] std::string stored() const {
    return '\x01' + little_endian(content.size(), 2) + little_endian(~content.size(), 2) + content;
  }
  [[nodiscard]] std::string checksum() const { return little_endian(crc32(content), 4); }
  [[nodiscard]] std::string length() const { return little_endian(content.size(), 4); }
  [[nodiscard]] std::string text() const { return header + stored() + checksum() + length(); }
};

}  // namespace safestructures::test
