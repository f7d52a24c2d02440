/// \file
/// The journal of a segment that is being written: what its header will say, a frame for each
/// record. docs/recording.md has the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/recording/options.hpp>

namespace safestructures::inline v0::recording {

/// What is said of a record beside its value.
struct RecordHead {
  std::string_view name;  ///< Lives elsewhere: in what names it, or in the journal's bytes.
  std::int64_t step = 0;
  std::uint64_t call = 0;
  std::uint64_t sequence = 0;
  std::int64_t time = 0;  ///< Nanoseconds since 1970, UTC.
  std::uint32_t thread = 0;
  Keep keep = Keep::full;
};

/// The start of the names of a record's tensors, which no other record has: names sort as calls.
[[nodiscard]] std::string tensor_name_start(std::uint64_t sequence);

/// A tensor in a segment. Offsets count from where the records' data begin.
struct StoredTensor {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t hash = 0;  ///< XXH3-64 of its bytes.
};

/// One record, and where its tensors are, which lie side by side.
struct Frame {
  RecordHead head;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  /// The value's node of the schema. Empty for a value that is one tensor and nothing else, whose
  /// node and name follow from the rest: many such records share one node (SegmentHeader).
  std::string schema;
  std::vector<StoredTensor> tensors;
  DType own_dtype = DType::F32;  ///< Of that one tensor, before it was converted.

  [[nodiscard]] bool is_lone_tensor() const noexcept { return schema.empty(); }
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

/// What a frame says of a value that is one tensor and nothing else.
struct LoneTensor {
  DType dtype;
  DType own_dtype;  ///< Before it was converted.
  const Shape& shape;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t hash;
};

void append_head(std::vector<std::byte>& bytes, const JournalHead& head);
void append_frame(std::vector<std::byte>& bytes, const Frame& frame);
void append_frame(std::vector<std::byte>& bytes, const RecordHead& head, const LoneTensor& tensor);
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

/// Reads the frame that begins where `bytes` begin, in which its record's name stays. What a whole
/// frame says is checked: tensors fill its bytes in order, and each is as long as dtype and shape
/// make it.
/// \throws Error `limit_exceeded` where a whole one passes a limit
[[nodiscard]] FoundFrame read_frame(std::span<const std::byte> bytes, const Limits& limits);

/// Where the next frame may begin, from `from` on; nothing where there is no more.
[[nodiscard]] std::optional<std::size_t> find_frame(std::span<const std::byte> bytes,
                                                    std::size_t from);

/// XXH3-64.
[[nodiscard]] std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept;

}  // namespace safestructures::inline v0::recording
