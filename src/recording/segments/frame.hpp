/// \file
/// The journal of a segment that is being written: a frame for each record, with what the header
/// will contain. docs/recording.md specifies the bytes.
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

/// The data about a record other than its value.
struct RecordHead {
  std::string_view name;  ///< Not owned: points to the name's owner or into the journal's bytes.
  std::int64_t step = 0;
  std::uint64_t call = 0;
  std::uint64_t sequence = 0;
  std::int64_t time = 0;  ///< Nanoseconds since 1970, UTC.
  std::uint32_t thread = 0;
  Keep keep = Keep::full;
};

/// Returns the prefix of the names of a record's tensors, unique to it. Names sort in call order.
[[nodiscard]] std::string tensor_name_start(std::uint64_t sequence);

/// A tensor in a segment. Offsets are relative to the start of the records' data.
struct StoredTensor {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t hash = 0;  ///< XXH3-64 of its bytes.
};

/// One record, and where its tensors are stored, one after another.
struct Frame {
  RecordHead head;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  /// The value's schema node. Empty for a value that is a lone tensor, whose node and name follow
  /// from the other fields: many such records share one node (SegmentHeader).
  std::string schema;
  std::vector<StoredTensor> tensors;
  DType own_dtype = DType::F32;  ///< Of a lone tensor, before it was converted.

  [[nodiscard]] bool is_lone_tensor() const noexcept { return schema.empty(); }
};

/// The content of the journal's first bytes.
struct JournalHead {
  std::uint64_t segment = 0;
  std::uint64_t room = 0;  ///< Bytes before the data: the length and the header.
  bool checksums = true;   ///< Whether the tensors' hashes are set.
};

inline constexpr std::size_t journal_head_size = 40;
/// The size of what precedes a frame's content: magic, length and checksum.
inline constexpr std::size_t frame_head_size = 24;

/// The content of a frame whose value is a lone tensor.
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
/// Begins a frame; `end_frame` puts length and checksum before what was appended since.
/// \returns the argument for `end_frame`
[[nodiscard]] std::size_t begin_frame(std::vector<std::byte>& bytes);
void end_frame(std::vector<std::byte>& bytes, std::size_t begin);

/// \throws Error `truncated`, `damaged`, `unsupported_version`
[[nodiscard]] JournalHead read_head(std::span<const std::byte> bytes);

/// The state of a frame in a journal.
enum class FrameState : std::uint8_t {
  whole,
  incomplete,  ///< The bytes end within the frame: the writer is writing it, or died while writing
               ///< it.
  damaged,     ///< Not a frame.
};

struct FoundFrame {
  FrameState state = FrameState::incomplete;
  Frame frame;
  std::size_t size = 0;  ///< The bytes of a whole frame.
};

/// Reads the frame at the start of `bytes`, which its record's name points into. Checks that the
/// tensors of a whole frame fill its data in order, and that their sizes match their dtypes and
/// shapes.
/// \throws Error `limit_exceeded` if a whole frame exceeds a limit
[[nodiscard]] FoundFrame read_frame(std::span<const std::byte> bytes, const Limits& limits);

/// Returns where the next frame may begin, at or after `from`; null if there is none.
[[nodiscard]] std::optional<std::size_t> find_frame(std::span<const std::byte> bytes,
                                                    std::size_t from);

/// Returns the XXH3-64 of bytes.
[[nodiscard]] std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept;

}  // namespace safestructures::inline v0::recording
