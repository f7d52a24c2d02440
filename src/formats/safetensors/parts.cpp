#include "formats/safetensors/parts.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include <safestructures/data/error.hpp>

#include "formats/safetensors/json_text.hpp"
#include "platform/mapping.hpp"
#include "platform/memory.hpp"

namespace safestructures::safetensors::detail {
namespace {

// Up to here reading is cheaper than mapping (4.4 against 9.8 us for a tiny file).
constexpr std::uint64_t small_file = std::uint64_t{64} << 10U;

std::uint64_t length_at(const std::byte* bytes) noexcept {
  return read_length(std::span<const std::byte, length_size>(bytes, length_size));
}

// The whole file at once; the header's text and the tensors are views of the same memory.
Part open_small(platform::InputFile file, const Limits& limits) {
  const auto size = static_cast<std::size_t>(file.size());
  const std::shared_ptr<std::byte> buffer = platform::allocate_buffer(size + text_padding);
  file.read_at(0, {buffer.get(), size});
  std::memset(buffer.get() + size, 0, text_padding);
  const std::uint64_t length = length_at(buffer.get());
  check_length(length, size, limits);
  const std::byte* const header = buffer.get() + length_size;
  Text text{std::shared_ptr<const char>(buffer, reinterpret_cast<const char*>(header)),
            static_cast<std::size_t>(length)};
  return {.path = file.path(),
          .file = std::nullopt,
          .table = Table(std::move(text), size - length_size - length, limits),
          .data_offset = length_size + length,
          .data = header + length,
          .owner = buffer};
}

Part open_large(platform::InputFile file, const OpenOptions& options) {
  std::array<std::byte, length_size> prefix;
  file.read_at(0, prefix);
  const std::uint64_t length = read_length(prefix);
  check_length(length, file.size(), options.limits);
  const auto text_size = static_cast<std::size_t>(length);
  const std::shared_ptr<std::byte> buffer = platform::allocate_buffer(text_size + text_padding);
  file.read_at(length_size, {buffer.get(), text_size});
  std::memset(buffer.get() + text_size, 0, text_padding);
  Text text{std::shared_ptr<const char>(buffer, reinterpret_cast<const char*>(buffer.get())),
            text_size};

  const std::uint64_t data_offset = length_size + length;
  const std::uint64_t data_size = file.size() - data_offset;
  Part part{.path = file.path(),
            .file = std::nullopt,
            .table = Table(std::move(text), data_size, options.limits),
            .data_offset = data_offset,
            .data = nullptr,
            .owner = nullptr};
  if (options.access == Access::map && data_size != 0) {
    auto mapping = platform::Mapping::of(file, data_offset, static_cast<std::size_t>(data_size));
    part.data = mapping->bytes().data();
    part.owner = std::move(mapping);
  } else if (options.access == Access::memory) {
    const std::shared_ptr<std::byte> memory =
        platform::allocate_buffer(static_cast<std::size_t>(data_size));
    file.read_parallel(data_offset, {memory.get(), static_cast<std::size_t>(data_size)});
    part.data = memory.get();
    part.owner = memory;
  } else {
    part.file = std::move(file);
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

Part open_part(const std::filesystem::path& path, const OpenOptions& options) {
  try {
    platform::InputFile file(path);
    check_file_size(file.size());
    return file.size() <= small_file ? open_small(std::move(file), options.limits)
                                     : open_large(std::move(file), options);
  } catch (const Error& error) {
    throw error.with_file(path.string());
  }
}

Part part_of_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                   const Limits& limits) {
  check_file_size(bytes.size());
  const std::uint64_t length = length_at(bytes.data());
  check_length(length, bytes.size(), limits);
  const std::span<const std::byte> behind = bytes.subspan(length_size);
  const std::span<const std::byte> data = behind.subspan(static_cast<std::size_t>(length));
  return {.path = {},
          .file = std::nullopt,
          .table = Table(Text::copy(behind.first(static_cast<std::size_t>(length))), data.size(),
                         limits),
          .data_offset = length_size + length,
          .data = data.data(),
          .owner = std::move(owner)};
}

NameIndex index_parts(std::vector<Part>& parts, const Limits& limits) {
  std::uint64_t count = 0;
  for (Part& part : parts) {
    part.first = static_cast<std::size_t>(count);
    count += part.table.size();
  }
  const std::uint64_t most = std::min(limits.tensors, NameIndex::largest);
  if (count > most) {
    throw Error(ErrorCode::limit_exceeded, "too many tensors",
                {.expected = "at most " + std::to_string(most), .found = std::to_string(count)});
  }
  NameIndex index(static_cast<std::size_t>(count));
  if (parts.size() == 1) {
    // The common case, without looking for the part each time.
    const Table& table = parts.front().table;
    const auto twice = index.insert(0, table.size(), [&](std::size_t i) { return table.name(i); });
    if (twice) fail_duplicate(parts, *twice);
    return index;
  }
  const auto name_at = [&](std::size_t i) {
    const Part& part = part_of(parts, i);
    return part.table.name(i - part.first);
  };
  const auto twice = index.insert(0, static_cast<std::size_t>(count), name_at);
  if (twice) fail_duplicate(parts, *twice);
  return index;
}

}  // namespace safestructures::safetensors::detail
