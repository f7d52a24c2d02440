#include "recording/segments/frame.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <string_view>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "data/text/utf8.hpp"
#include "platform/xxh3.hpp"

namespace safestructures::inline v0::recording {
namespace {

constexpr std::string_view journal_magic = "SSJRNL";
constexpr std::uint16_t journal_version = 2;
// Neither valid UTF-8 nor the text of a schema contains it, so searching for it finds few false
// matches.
constexpr std::string_view frame_magic = "\xF5SSFRAM\xFA";
// The least content of a tensor: length of the name, dtype, rank, end, hash.
constexpr std::size_t smallest_tensor = 4 + 1 + 1 + 8 + 8;
// The form of what follows a record's name.
enum class Form : std::uint8_t { structure, lone_tensor };

template <std::integral T>
std::array<std::byte, sizeof(T)> little_endian(T number) {
  std::array<std::byte, sizeof(T)> bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[i] = static_cast<std::byte>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xFFU);
  return bytes;
}

template <std::integral T>
void append(std::vector<std::byte>& bytes, T number) {
  const auto little = little_endian(number);
  bytes.insert(bytes.end(), little.begin(), little.end());
}

void append(std::vector<std::byte>& bytes, std::string_view text) {
  const auto view = std::as_bytes(std::span(text));
  bytes.insert(bytes.end(), view.begin(), view.end());
}

void append_text(std::vector<std::byte>& bytes, std::string_view text) {
  append(bytes, static_cast<std::uint32_t>(text.size()));
  append(bytes, text);
}

void append_tensor(std::vector<std::byte>& bytes, DType dtype, const Shape& shape,
                   std::uint64_t end, std::uint64_t hash) {
  append(bytes, static_cast<std::uint8_t>(dtype));
  append(bytes, static_cast<std::uint8_t>(shape.size()));
  for (const std::uint64_t size : shape) append(bytes, size);
  append(bytes, end);
  append(bytes, hash);
}

/// Appends the beginning of a frame of either form.
void append_record(std::vector<std::byte>& bytes, const RecordHead& head, Form form,
                   std::uint64_t begin, std::uint64_t end) {
  append(bytes, head.sequence);
  append(bytes, head.step);
  append(bytes, head.call);
  append(bytes, head.time);
  append(bytes, head.thread);
  append(bytes, static_cast<std::uint8_t>(head.keep));
  append(bytes, static_cast<std::uint8_t>(form));
  append(bytes, begin);
  append(bytes, end);
  append_text(bytes, head.name);
}

/// Reads numbers and texts. Once something is missing, all further reads fail.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    std::uint64_t value = 0;
    if (!take(sizeof(T))) return 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value |= std::to_integer<std::uint64_t>(taken_[i]) << (8 * i);
    return static_cast<T>(value);
  }
  std::string_view text(std::size_t size) {
    if (!take(size)) return {};
    return {reinterpret_cast<const char*>(taken_.data()), size};
  }
  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size(); }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] bool is_done() const noexcept { return !failed_ && bytes_.empty(); }

 private:
  bool take(std::size_t size) {
    if (failed_ || size > bytes_.size()) return failed_ = true, false;
    taken_ = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return true;
  }

  std::span<const std::byte> bytes_;
  std::span<const std::byte> taken_;
  bool failed_ = false;
};

/// The checksum also covers the length.
std::uint64_t hash_of_content(std::span<const std::byte> content) noexcept {
  return XXH3_64bits_withSeed(content.data(), content.size(), content.size());
}

std::optional<DType> read_dtype(Reader& reader) {
  const auto dtype = reader.number<std::uint8_t>();
  if (dtype >= dtype_count) return std::nullopt;
  return static_cast<DType>(dtype);
}

bool read_tensor(Reader& reader, StoredTensor& tensor, std::uint64_t begin, const Limits& limits) {
  const std::optional<DType> dtype = read_dtype(reader);
  const auto rank = reader.number<std::uint8_t>();
  if (!dtype || reader.left() < rank * sizeof(std::uint64_t)) return false;
  if (rank > limits.rank)
    throw detail::past(detail::Limit::rank, limits.rank, {.found = std::to_string(rank)});
  std::array<std::uint64_t, 255> dims;
  for (std::size_t i = 0; i < rank; ++i) dims[i] = reader.number<std::uint64_t>();
  tensor.dtype = *dtype;
  tensor.shape = Shape(std::span(dims).first(rank));
  tensor.begin = begin;
  tensor.end = reader.number<std::uint64_t>();
  tensor.hash = reader.number<std::uint64_t>();
  if (reader.failed() || tensor.end < begin) return false;
  try {
    return byte_size(tensor.dtype, tensor.shape) == tensor.end - begin;
  } catch (const Error&) {
    return false;
  }
}

bool read_structure(Reader& reader, Frame& frame, const Limits& limits) {
  frame.schema = reader.text(reader.number<std::uint32_t>());
  const auto count = reader.number<std::uint32_t>();
  if (reader.failed() || frame.schema.empty() || count > reader.left() / smallest_tensor)
    return false;
  if (count > limits.tensors)
    throw detail::past(detail::Limit::tensors, limits.tensors, {.found = std::to_string(count)});
  frame.tensors.resize(count);
  std::uint64_t end = frame.begin;
  for (StoredTensor& tensor : frame.tensors) {
    tensor.name = reader.text(reader.number<std::uint32_t>());
    if (detail::find_invalid_utf8(tensor.name) || !read_tensor(reader, tensor, end, limits))
      return false;
    end = tensor.end;
  }
  return end == frame.end;
}

bool read_lone_tensor(Reader& reader, Frame& frame, const Limits& limits) {
  const std::optional<DType> own = read_dtype(reader);
  if (!own) return false;
  frame.own_dtype = *own;
  frame.tensors.resize(1);
  StoredTensor& tensor = frame.tensors.front();
  return read_tensor(reader, tensor, frame.begin, limits) && tensor.end == frame.end;
}

bool read_content(std::span<const std::byte> content, Frame& frame, const Limits& limits) {
  Reader reader(content);
  RecordHead& head = frame.head;
  head.sequence = reader.number<std::uint64_t>();
  head.step = reader.number<std::int64_t>();
  head.call = reader.number<std::uint64_t>();
  head.time = reader.number<std::int64_t>();
  head.thread = reader.number<std::uint32_t>();
  const auto keep = reader.number<std::uint8_t>();
  const auto form = reader.number<std::uint8_t>();
  frame.begin = reader.number<std::uint64_t>();
  frame.end = reader.number<std::uint64_t>();
  head.name = reader.text(reader.number<std::uint32_t>());
  if (reader.failed() || keep >= static_cast<std::uint8_t>(Keep::none) ||
      form > static_cast<std::uint8_t>(Form::lone_tensor) || detail::find_invalid_utf8(head.name))
    return false;
  head.keep = static_cast<Keep>(keep);
  const auto read = static_cast<Form>(form) == Form::structure ? read_structure : read_lone_tensor;
  return read(reader, frame, limits) && reader.is_done();
}

/// Reads a frame's content. \returns whether it is what was written
/// \throws Error `limit_exceeded` if it is, but exceeds a limit
bool read_checked(std::span<const std::byte> content, std::uint64_t hash, Frame& frame,
                  const Limits& limits) {
  return hash_of_content(content) == hash && read_content(content, frame, limits);
}

using HeadBytes = std::array<std::byte, journal_head_size>;

/// Whether these are the first bytes of a journal, judging by the checksum at their end.
bool is_head(const HeadBytes& bytes) {
  const std::span<const std::byte> all(bytes);
  if (!std::ranges::equal(all.first(journal_magic.size()), std::as_bytes(std::span(journal_magic))))
    return false;
  constexpr std::size_t hashed = journal_head_size - sizeof(std::uint64_t);
  return std::ranges::equal(all.subspan(hashed), little_endian(hash_of(all.first(hashed))));
}

/// Repairs the head if a single byte is damaged: without it, nobody knows where the data of the
/// records begin. Takes less than a millisecond. \returns false if that is not possible
bool mend(HeadBytes& bytes) {
  for (std::byte& byte : bytes) {
    const std::byte was = byte;
    for (unsigned other = 0; other < 256; ++other) {
      byte = static_cast<std::byte>(other);
      if (is_head(bytes)) return true;
    }
    byte = was;
  }
  return false;
}

}  // namespace

std::string tensor_name_start(std::uint64_t sequence) {
  constexpr std::size_t digits = 8;
  std::string number = std::to_string(sequence);
  if (number.size() < digits) number.insert(0, digits - number.size(), '0');
  return number + ":";
}

std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept { return platform::xxh3(bytes); }

void append_head(std::vector<std::byte>& bytes, const JournalHead& head) {
  const std::size_t begin = bytes.size();
  append(bytes, journal_magic);
  append(bytes, journal_version);
  append(bytes, head.segment);
  append(bytes, head.room);
  append(bytes, std::uint64_t{head.checksums});
  append(bytes, hash_of(std::span(bytes).subspan(begin)));
}

JournalHead read_head(std::span<const std::byte> bytes) {
  if (bytes.size() < journal_head_size)
    throw Error(ErrorCode::truncated, "the journal ends within its first bytes",
                {.expected = std::to_string(journal_head_size) + " bytes at least",
                 .found = std::to_string(bytes.size())});
  HeadBytes whole{};
  std::ranges::copy(bytes.first(journal_head_size), whole.begin());
  if (!is_head(whole) && !mend(whole))
    throw Error(ErrorCode::damaged, "the file is not the journal of a recording, or it is damaged",
                {.expected = "the first bytes of a journal and their checksum"});
  Reader reader(whole);
  static_cast<void>(reader.text(journal_magic.size()));
  const auto version = reader.number<std::uint16_t>();
  JournalHead head;
  head.segment = reader.number<std::uint64_t>();
  head.room = reader.number<std::uint64_t>();
  head.checksums = (reader.number<std::uint64_t>() & 1U) != 0;
  if (version != journal_version)
    throw Error(ErrorCode::unsupported_version, "the journal has an unknown version",
                {.expected = std::to_string(journal_version),
                 .found = std::to_string(version),
                 .advice = "Recover the recording with the safestructures that wrote it"});
  return head;
}

std::size_t begin_frame(std::vector<std::byte>& bytes) {
  const std::size_t begin = bytes.size();
  append(bytes, frame_magic);
  bytes.resize(begin + frame_head_size);
  return begin;
}

void end_frame(std::vector<std::byte>& bytes, std::size_t begin) {
  const auto content = std::span<const std::byte>(bytes).subspan(begin + frame_head_size);
  auto head = bytes.begin() + static_cast<std::ptrdiff_t>(begin + frame_magic.size());
  head = std::ranges::copy(little_endian(std::uint64_t{content.size()}), head).out;
  std::ranges::copy(little_endian(hash_of_content(content)), head);
}

void append_frame(std::vector<std::byte>& bytes, const RecordHead& head, const LoneTensor& tensor) {
  const std::size_t begin = begin_frame(bytes);
  append_record(bytes, head, Form::lone_tensor, tensor.begin, tensor.end);
  append(bytes, static_cast<std::uint8_t>(tensor.own_dtype));
  append_tensor(bytes, tensor.dtype, tensor.shape, tensor.end, tensor.hash);
  end_frame(bytes, begin);
}

void append_frame(std::vector<std::byte>& bytes, const Frame& frame) {
  if (frame.is_lone_tensor()) {
    const StoredTensor& tensor = frame.tensors.front();
    return append_frame(
        bytes, frame.head,
        {tensor.dtype, frame.own_dtype, tensor.shape, frame.begin, frame.end, tensor.hash});
  }
  const std::size_t begin = begin_frame(bytes);
  append_record(bytes, frame.head, Form::structure, frame.begin, frame.end);
  append_text(bytes, frame.schema);
  append(bytes, static_cast<std::uint32_t>(frame.tensors.size()));
  for (const StoredTensor& tensor : frame.tensors) {
    append_text(bytes, tensor.name);
    append_tensor(bytes, tensor.dtype, tensor.shape, tensor.end, tensor.hash);
  }
  end_frame(bytes, begin);
}

FoundFrame read_frame(std::span<const std::byte> bytes, const Limits& limits) {
  FoundFrame found;
  Reader reader(bytes.first(std::min(bytes.size(), frame_head_size)));
  const std::string_view magic = reader.text(std::min(bytes.size(), frame_magic.size()));
  if (!frame_magic.starts_with(magic)) return found.state = FrameState::damaged, found;
  const auto size = reader.number<std::uint64_t>();
  const auto hash = reader.number<std::uint64_t>();
  if (reader.failed()) return found;
  const std::span<const std::byte> rest = bytes.subspan(frame_head_size);
  // A frame has the same content as the header, in fewer bytes.
  found.state = size > limits.header_bytes || size <= rest.size() ? FrameState::damaged
                                                                  : FrameState::incomplete;
  std::span<const std::byte> content =
      rest.first(static_cast<std::size_t>(std::min<std::uint64_t>(size, rest.size())));
  bool is_whole = size == content.size() && read_checked(content, hash, found.frame, limits);
  if (!is_whole) {
    // The checksum covers the length, so a damaged length, which in the last frame looks like an
    // unfinished frame, can be found again.
    content = rest.first(find_frame(rest, 0).value_or(rest.size()));
    found.frame = {};
    is_whole =
        content.size() <= limits.header_bytes && read_checked(content, hash, found.frame, limits);
  }
  if (!is_whole) return found;
  found.state = FrameState::whole;
  found.size = frame_head_size + content.size();
  return found;
}

std::optional<std::size_t> find_frame(std::span<const std::byte> bytes, std::size_t from) {
  if (from > bytes.size()) return std::nullopt;
  const auto magic = std::as_bytes(std::span(frame_magic));
  const auto found = std::search(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(),
                                 magic.begin(), magic.end());
  if (found == bytes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - bytes.begin());
}

}  // namespace safestructures::inline v0::recording
