#include "formats/safetensors/parts.hpp"

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include <safestructures/data/error.hpp>

#include "data/text/printable.hpp"
#include "formats/safetensors/header_stream.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::safetensors::detail {

using safestructures::detail::for_message;
using safestructures::detail::in_quotes;
namespace {

// Up to this size, reading is cheaper than mapping (4.4 against 9.8 us for a tiny file).
constexpr std::uint64_t small_file = std::uint64_t{64} << 10U;

std::uint64_t length_at(const std::byte* bytes) noexcept {
  return read_length(std::span<const std::byte, length_size>(bytes, length_size));
}

// Reads the whole file at once. The text of the header and the tensors are views of the same
// memory.
Part open_small(const Source& source, const Limits& limits) {
  const auto size = static_cast<std::size_t>(source.size());
  const std::shared_ptr<std::byte> buffer =
      platform::allocate_buffer(size + text_padding + length_size);
  std::byte* begin = buffer.get();
  source.read(0, {begin, size});
  const std::uint64_t length = length_at(begin);
  check_length(length, size, limits);
  // Some writers do not pad their headers. Shift the file, so that its tensors are aligned in our
  // memory.
  if (const std::uint64_t odd = length % length_size; odd != 0) {
    std::memmove(begin + (length_size - odd), begin, size);
    begin += length_size - odd;
  }
  std::memset(begin + size, 0, text_padding);
  const std::byte* const header = begin + length_size;
  Text text{std::shared_ptr<const char>(buffer, reinterpret_cast<const char*>(header)),
            static_cast<std::size_t>(length)};
  return {.path = source.name(),
          .source = nullptr,
          .table = Table(std::move(text), size - length_size - length, limits),
          .data_offset = length_size + length,
          .data = header + length,
          .owner = buffer};
}

Part open_large(const std::shared_ptr<const Source>& source, const OpenOptions& options) {
  std::array<std::byte, length_size> prefix;
  source->read(0, prefix);
  const std::uint64_t length = read_length(prefix);
  check_length(length, source->size(), options.limits);
  const std::uint64_t data_offset = length_size + length;
  const std::uint64_t data_size = source->size() - data_offset;
  Part part{
      .path = source->name(),
      .source = nullptr,
      .table = read_table(*source, static_cast<std::size_t>(length), data_size, options.limits),
      .data_offset = data_offset,
      .data = nullptr,
      .owner = nullptr};
  const bool is_viewed = options.access == Access::map || source->is_in_memory();
  if (is_viewed && data_size != 0) {
    SharedBytes view = source->view(data_offset, static_cast<std::size_t>(data_size));
    part.data = view.bytes.data();
    part.owner = std::move(view.owner);
  } else if (options.access == Access::memory) {
    const std::shared_ptr<std::byte> memory =
        platform::allocate_buffer(static_cast<std::size_t>(data_size));
    source->read(data_offset, {memory.get(), static_cast<std::size_t>(data_size)});
    part.data = memory.get();
    part.owner = memory;
  } else {
    part.source = source;
  }
  return part;
}

[[noreturn]] void fail_duplicate(const std::vector<Part>& parts,
                                 std::pair<std::size_t, std::size_t> tensors) {
  const Part& part = part_of(parts, tensors.first);
  const Part& other = part_of(parts, tensors.second);
  const bool same = &part == &other;
  throw Error(ErrorCode::duplicate_name,
              same ? "two tensors have the same name" : "two files hold a tensor of the same name",
              {.file = part.path.string(),
               .path = for_message(part.table.name(tensors.first - part.first)),
               .found = same ? std::string()
                             : "the other in " + in_quotes(other.path.filename().string())});
}

}  // namespace

Part open_part(const std::shared_ptr<const Source>& source, const OpenOptions& options) {
  try {
    check_file_size(source->size());
    const bool is_small = source->size() <= small_file && !source->is_in_memory();
    return is_small && options.access != Access::read ? open_small(*source, options.limits)
                                                      : open_large(source, options);
  } catch (const Error& error) {
    throw error.with_file(source->name());
  }
}

NameIndex index_parts(std::vector<Part>& parts) {
  std::size_t count = 0;
  for (Part& part : parts) {
    part.first = count;
    count += part.table.size();
  }
  NameIndex index(count);
  if (parts.size() == 1) {
    // The common case, in which the part need not be looked up each time.
    const Table& table = parts.front().table;
    const auto twice = index.insert(0, table.size(), [&](std::size_t i) { return table.name(i); });
    if (twice) fail_duplicate(parts, *twice);
    return index;
  }
  const auto twice =
      index.insert(0, count, [&](std::size_t i) { return name_of_tensor(parts, i); });
  if (twice) fail_duplicate(parts, *twice);
  return index;
}

bool add_part(Checkpoint& checkpoint, Part part, std::size_t most) {
  std::vector<Part>& parts = checkpoint.parts;
  part.first = parts.empty() ? 0 : parts.back().first + parts.back().table.size();
  const std::size_t last = part.first + part.table.size();
  parts.push_back(std::move(part));
  if (last > most) {
    static_cast<void>(index_parts(parts));  // A better error, if a name occurs twice.
    return false;
  }
  const auto twice = checkpoint.index.insert(
      parts.back().first, last, [&](std::size_t i) { return name_of_tensor(parts, i); });
  if (twice) fail_duplicate(parts, *twice);
  return true;
}

}  // namespace safestructures::inline v0::safetensors::detail
