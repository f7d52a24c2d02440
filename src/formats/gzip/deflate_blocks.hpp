/// \file
/// Deflate streams one behind the other as one stream.
///
/// libdeflate packs twice to eight times as fast as zlib, but only what is in memory as a whole,
/// into a stream that ends; and Burn reads no more than the first member of a file. So a large file
/// is packed in pieces, and the end of each piece but the last is taken back.
#pragma once

#include <cstddef>
#include <span>

namespace safestructures::inline v0::gzip {

/// Bytes that `reopen` may append, and that it may read behind the stream.
inline constexpr std::size_t reopen_room = 8;

/// Makes the last block of a stream an ordinary one and appends an empty block that ends on a byte,
/// where another stream may follow.
/// \param room the stream, then `reopen_room` bytes \param size of the stream, a valid one
/// \returns the new size
[[nodiscard]] std::size_t reopen(std::span<std::byte> room, std::size_t size);

}  // namespace safestructures::inline v0::gzip
