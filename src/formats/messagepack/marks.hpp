/// \file
/// The first bytes of MessagePack's values (the specification of 2013).
#pragma once

#include <cstdint>

namespace safestructures::inline v0::messagepack {

inline constexpr unsigned largest_fixint = 0x7F;
inline constexpr unsigned negative_fixint = 0xE0;
inline constexpr unsigned fixmap = 0x80;
inline constexpr unsigned fixarray = 0x90;
inline constexpr unsigned fixstr = 0xA0;

enum class Mark : std::uint8_t {
  nil = 0xC0,
  no = 0xC2,
  yes = 0xC3,
  bin8 = 0xC4,
  bin16 = 0xC5,
  bin32 = 0xC6,
  ext8 = 0xC7,
  ext16 = 0xC8,
  ext32 = 0xC9,
  float32 = 0xCA,
  float64 = 0xCB,
  uint8 = 0xCC,
  uint16 = 0xCD,
  uint32 = 0xCE,
  uint64 = 0xCF,
  int8 = 0xD0,
  int16 = 0xD1,
  int32 = 0xD2,
  int64 = 0xD3,
  fixext1 = 0xD4,
  fixext2 = 0xD5,
  fixext4 = 0xD6,
  fixext8 = 0xD7,
  fixext16 = 0xD8,
  str8 = 0xD9,
  str16 = 0xDA,
  str32 = 0xDB,
  array16 = 0xDC,
  array32 = 0xDD,
  map16 = 0xDE,
  map32 = 0xDF,
};

}  // namespace safestructures::inline v0::messagepack
