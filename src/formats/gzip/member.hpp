/// \file
/// The header and trailer of a gzip member (RFC 1952), shared by packing and unpacking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/binary/little_endian.hpp"

namespace safestructures::inline v0::gzip {

inline constexpr std::size_t header_size = 10;  ///< Without the optional fields.
inline constexpr std::size_t trailer_size = 8;  ///< Checksum and length.
inline constexpr std::uint8_t method_deflate = 8;

/// The header without optional fields, time or level hint, from an unknown system, as flate2, and
/// so Burn, writes it.
inline constexpr std::array<std::uint8_t, header_size> plain_header = {
    0x1F, 0x8B, method_deflate, 0, 0, 0, 0, 0, 0, 0xFF};

[[nodiscard]] inline std::uint32_t little_endian_32(std::span<const std::byte> bytes) noexcept {
  return static_cast<std::uint32_t>(binary::little_endian(bytes.first(4)));
}

}  // namespace safestructures::inline v0::gzip
