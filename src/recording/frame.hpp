/// \file
/// The journal of a segment that is being written: what its header will say, a frame for each
/// record. docs/recording.md has the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/shape.hpp>

namespace safestructures::inline v0::recording {

/// A tensor in a segment. Offsets are those of the safetensors header, from the data's start.
struct StoredTensor {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t hash = 0;  ///< XXH3-64 of its bytes.
};

/// One record: its node of the schema, and its tensors, which lie side by side.
struct Frame {
  std::uint64_t sequence = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string schema;
  std::vector<StoredTensor> tensors;
};

/// What the journal's first bytes say.
struct JournalHead {
  std::uint64_t segment = 0;
  std::uint64_t room = 0;  ///< Bytes in front of the data: the length and the header.
  bool checksums = true;   ///< Whether the tensors' hashes are known.
};

inline constexpr std::size_t journal_head_size = 40;
/// Magic, length, checksum: what precedes a frame's content.
inline constexpr std::size_t frame_head_size = 24;

void append_head(std::vector<std::byte>& bytes, const JournalHead& head);
void append_frame(std::vector<std::byte>& bytes, const Frame& frame);
/// Begins a frame; `end_frame` puts length and checksum in front of what was appended since.
/// \returns what `end_frame` takes
[[nodiscard]] std::size_t begin_frame(std::vector<std::byte>& bytes);
void end_frame(std::vector<std::byte>& bytes, std::size_t begin);

/// \throws Error `truncated`, `damaged`, `unsupported_version`
[[nodiscard]] JournalHead read_head(std::span<const std::byte> bytes);

/// What is at a place of a journal.
enum class FrameState : std::uint8_t {
  whole,
  incomplete,  ///< The bytes end before the frame: the writer is at it, or died at it.
  damaged,     ///< Something else than a frame.
};

struct FoundFrame {
  FrameState state = FrameState::incomplete;
  Frame frame;
  std::size_t size = 0;  ///< Bytes of a whole frame.
};

/// Reads the frame that begins where `bytes` begin. What a whole frame says is checked: tensors
/// fill its bytes in order, and each is as long as dtype and shape make it.
[[nodiscard]] FoundFrame read_frame(std::span<const std::byte> bytes, const Limits& limits);

/// Where the next frame may begin, from `from` on; nothing where there is no more.
[[nodiscard]] std::optional<std::size_t> find_frame(std::span<const std::byte> bytes,
                                                    std::size_t from);

/// XXH3-64.
[[nodiscard]] std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept;

}  // namespace safestructures::inline v0::recording
