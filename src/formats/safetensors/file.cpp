#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/formats/gzip.hpp>
#include <safestructures/formats/safetensors/reader.hpp>

#include "data/text/printable.hpp"
#include "formats/safetensors/parts.hpp"

namespace safestructures::inline v0::safetensors {

using safestructures::detail::for_message;

struct File::State {
  State(std::vector<detail::Part> opened, detail::NameIndex names,
        std::filesystem::path opened_index)
      : parts(std::move(opened)), index(std::move(names)), index_path(std::move(opened_index)) {
    for (const detail::Part& part : parts) {
      count += part.table.size();
      if (part.table.size() != 0) data_size += part.table.end(part.table.size() - 1);
      const auto& entries = part.table.metadata();
      metadata.insert(metadata.end(), entries.begin(), entries.end());
    }
    if (parts.size() > 1) {
      // Stable, so that the first file's value stays.
      std::stable_sort(
          metadata.begin(), metadata.end(),
          [](const MetadataEntry& a, const MetadataEntry& b) { return a.key < b.key; });
      metadata.erase(std::unique(metadata.begin(), metadata.end(),
                                 [](const MetadataEntry& a, const MetadataEntry& b) {
                                   return a.key == b.key;
                                 }),
                     metadata.end());
    }
  }

  // The location of a tensor.
  struct Place {
    const detail::Part& part;
    std::size_t index;  // Within the part.

    [[nodiscard]] std::uint64_t begin() const { return part.table.begin(index); }
    [[nodiscard]] std::uint64_t size() const { return part.table.end(index) - begin(); }
    [[nodiscard]] std::uint64_t offset() const { return part.data_offset + begin(); }
  };
  [[nodiscard]] Place place(std::size_t tensor) const noexcept {
    const detail::Part& part = detail::part_of(parts, tensor);
    return {part, tensor - part.first};
  }
  [[nodiscard]] Place checked_place(std::size_t tensor) const {
    if (tensor >= count) {
      throw Error(ErrorCode::not_found, "there is no tensor of that index",
                  {.file = parts.front().path.string(),
                   .expected = "an index below " + std::to_string(count),
                   .found = std::to_string(tensor)});
    }
    return place(tensor);
  }
  std::vector<detail::Part> parts;
  detail::NameIndex index;
  std::filesystem::path index_path;  // Empty for a single file.
  std::vector<MetadataEntry> metadata;
  std::size_t count = 0;
  std::uint64_t data_size = 0;
};

File::File(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

File File::open(const std::filesystem::path& path, const OpenOptions& options) {
  return open(Source::open(path), options);
}

File File::open(const std::shared_ptr<const Source>& source, const OpenOptions& options) {
  if (gzip::inner_name(source->name()).ends_with(".json")) {
    detail::Checkpoint checkpoint = detail::open_checkpoint(source, options);
    return File(std::make_shared<const State>(std::move(checkpoint.parts),
                                              std::move(checkpoint.index), source->name()));
  }
  std::vector<detail::Part> parts;
  parts.push_back(detail::open_part(source, options));
  detail::NameIndex index = detail::index_parts(parts);
  return File(
      std::make_shared<const State>(std::move(parts), std::move(index), std::filesystem::path()));
}

File File::from_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                      const Limits& limits) {
  return open(Source::of(bytes, std::move(owner)), {.access = Access::map, .limits = limits});
}

std::size_t File::size() const noexcept { return state_->count; }

std::string_view File::name(std::size_t index) const& noexcept {
  const State::Place place = state_->place(index);
  return place.part.table.name(place.index);
}

TensorInfo File::info(std::size_t index) const {
  const State::Place place = state_->place(index);
  return place.part.table.info(place.index);
}

std::optional<std::size_t> File::find(std::string_view wanted, std::size_t near) const noexcept {
  if (state_->parts.size() == 1) {
    const detail::Table& table = state_->parts.front().table;
    return state_->index.find(wanted, [&](std::size_t i) { return table.name(i); }, near);
  }
  return state_->index.find(wanted, [this](std::size_t i) { return name(i); }, near);
}

std::span<const MetadataEntry> File::metadata() const& noexcept { return state_->metadata; }

std::span<const MetadataEntry> File::metadata_of(std::size_t file) const& noexcept {
  return state_->parts[file].table.metadata();
}

std::optional<std::string_view> File::metadata(std::string_view key) const& noexcept {
  return detail::find_metadata(state_->metadata, key);
}

Tensor File::tensor(std::size_t index) const {
  const State::Place place = state_->checked_place(index);
  const detail::Part& part = place.part;
  const DType dtype = part.table.dtype(place.index);
  Shape shape = part.table.shape(place.index);
  if (part.source) {
    return Tensor::deferred(dtype, std::move(shape), part.source, place.offset(),
                            for_message(part.table.name(place.index)));
  }
  const std::span<const std::byte> bytes(part.data + place.begin(),
                                         static_cast<std::size_t>(place.size()));
  // Other writers put tensors at any offset. Unaligned ones are copied when they are used.
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment(dtype) != 0) {
    return Tensor::deferred(dtype, std::move(shape), Source::of(bytes, part.owner), 0,
                            for_message(part.table.name(place.index)));
  }
  return Tensor::share(dtype, std::move(shape), bytes, part.owner);
}

Tensor File::tensor(std::string_view wanted) const {
  if (const std::optional<std::size_t> index = find(wanted)) return tensor(*index);
  throw Error(ErrorCode::not_found, "there is no tensor of that name",
              {.file = state_->parts.front().path.string(), .path = for_message(wanted)});
}

Tensor File::slice(std::size_t index, std::span<const Slice> slices) const {
  const State::Place place = state_->checked_place(index);
  try {
    return tensor(index).slice(slices);
  } catch (const Error& error) {
    throw error.with_path(for_message(place.part.table.name(place.index)))
        .with_file(place.part.path.string());
  }
}

std::size_t File::file_count() const noexcept { return state_->parts.size(); }

std::vector<std::filesystem::path> File::files() const {
  std::vector<std::filesystem::path> paths;
  if (!state_->index_path.empty()) paths.push_back(state_->index_path);
  for (const detail::Part& part : state_->parts)
    if (!part.path.empty()) paths.push_back(part.path);
  return paths;
}

const std::filesystem::path& File::path(std::size_t index) const& noexcept {
  return state_->place(index).part.path;
}

std::uint64_t File::file_offset(std::size_t index) const noexcept {
  return state_->place(index).offset();
}

std::uint64_t File::data_size() const noexcept { return state_->data_size; }

}  // namespace safestructures::inline v0::safetensors
