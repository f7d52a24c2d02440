#include "formats/messagepack/cursor.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/messagepack/marks.hpp"

namespace safestructures::inline v0::messagepack {

Token Cursor::extension(std::uint64_t size) {
  extension_size_ = size;
  number_ = Value(static_cast<std::int8_t>(unsigned_number<std::uint8_t>()));
  return Token::extension;
}

Token Cursor::value() {
  if (token_ == Token::extension) return raw(extension_size_);
  const auto byte = std::to_integer<unsigned>(window_.take(1)[0]);
  if (byte <= largest_fixint) return number(std::uint64_t{byte});
  if (byte >= negative_fixint) return number(std::int64_t{static_cast<std::int8_t>(byte)});
  if ((byte & 0xF0U) == fixmap) return open(Token::object, byte & 0x0FU);
  if ((byte & 0xF0U) == fixarray) return open(Token::array, byte & 0x0FU);
  if ((byte & 0xE0U) == fixstr) return string(byte & 0x1FU);
  const auto read8 = [&] { return unsigned_number<std::uint8_t>(); };
  const auto read16 = [&] { return unsigned_number<std::uint16_t>(); };
  const auto read32 = [&] { return unsigned_number<std::uint32_t>(); };
  const auto read64 = [&] { return unsigned_number<std::uint64_t>(); };
  switch (static_cast<Mark>(byte)) {
    case Mark::nil: return Token::null;
    case Mark::no: return boolean(false);
    case Mark::yes: return boolean(true);
    case Mark::bin8: return raw(read8());
    case Mark::bin16: return raw(read16());
    case Mark::bin32: return raw(read32());
    case Mark::ext8: return extension(read8());
    case Mark::ext16: return extension(read16());
    case Mark::ext32: return extension(read32());
    case Mark::float32: return number(double{std::bit_cast<float>(read32())});
    case Mark::float64: return number(std::bit_cast<double>(read64()));
    case Mark::uint8: return number(std::uint64_t{read8()});
    case Mark::uint16: return number(std::uint64_t{read16()});
    case Mark::uint32: return number(std::uint64_t{read32()});
    case Mark::uint64: return number(read64());
    case Mark::int8: return number(std::int64_t{static_cast<std::int8_t>(read8())});
    case Mark::int16: return number(std::int64_t{static_cast<std::int16_t>(read16())});
    case Mark::int32: return number(std::int64_t{static_cast<std::int32_t>(read32())});
    case Mark::int64: return number(static_cast<std::int64_t>(read64()));
    case Mark::fixext1: return extension(1);
    case Mark::fixext2: return extension(2);
    case Mark::fixext4: return extension(4);
    case Mark::fixext8: return extension(8);
    case Mark::fixext16: return extension(16);
    case Mark::str8: return string(read8());
    case Mark::str16: return string(read16());
    case Mark::str32: return string(read32());
    case Mark::array16: return open(Token::array, read16());
    case Mark::array32: return open(Token::array, read32());
    case Mark::map16: return open(Token::object, read16());
    case Mark::map32: return open(Token::object, read32());
  }
  fail("a byte cannot begin a value of MessagePack",
       {.expected = "a value", .found = "byte " + std::to_string(byte)});
}

}  // namespace safestructures::inline v0::messagepack
