/// \file
/// Joins deflate streams into one.
///
/// libdeflate compresses two to eight times as fast as zlib, but only data that is entirely in
/// memory, into a complete stream; and Burn reads only the first member of a file. So a large file
/// is compressed in pieces, and the end mark of each piece but the last is undone.
#pragma once

#include <cstddef>
#include <span>

namespace safestructures::inline v0::gzip {

/// The number of bytes that `reopen` may append, and may read after the stream.
inline constexpr std::size_t reopen_room = 8;

/// Turns the last block of a stream into an ordinary one and appends an empty block that ends on a
/// byte boundary, so that another stream may follow.
/// \param room the stream, which must be valid, then `reopen_room` bytes \param size of the stream
/// \returns the new size
[[nodiscard]] std::size_t reopen(std::span<std::byte> room, std::size_t size);

}  // namespace safestructures::inline v0::gzip
