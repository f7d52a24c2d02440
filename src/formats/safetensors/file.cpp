#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safetensors/reader.hpp>

#include "formats/safetensors/json_text.hpp"
#include "formats/safetensors/parts.hpp"
#include "formats/safetensors/slice_reader.hpp"
#include "platform/memory.hpp"

namespace safestructures::safetensors {

struct File::State {
  State(std::vector<detail::Part> opened, detail::NameIndex names)
      : parts(std::move(opened)), index(std::move(names)) {
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

  // Where a tensor is.
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
  // Adds the file and the tensor to what goes wrong while it is read.
  template <class Work>
  static auto named(const Place& place, const Work& work) {
    try {
      return work();
    } catch (const Error& error) {
      throw error.with_path(detail::for_message(place.part.table.name(place.index)))
          .with_file(place.part.path.string());
    }
  }

  std::vector<detail::Part> parts;
  detail::NameIndex index;
  std::vector<MetadataEntry> metadata;
  std::size_t count = 0;
  std::uint64_t data_size = 0;
};

namespace {

Tensor read_whole(const platform::InputFile& file, std::uint64_t offset, DType dtype, Shape shape) {
  Tensor tensor = Tensor::allocate(dtype, std::move(shape));
  file.read_parallel(offset, tensor.mutable_bytes());
  return tensor;
}

}  // namespace

File::File(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

File File::open(const std::filesystem::path& path, const OpenOptions& options) {
  if (path.extension() == ".json") {
    detail::Checkpoint checkpoint = detail::open_checkpoint(path, options);
    return File(
        std::make_shared<const State>(std::move(checkpoint.parts), std::move(checkpoint.index)));
  }
  std::vector<detail::Part> parts;
  parts.push_back(detail::open_part(path, options));
  detail::NameIndex index = detail::index_parts(parts, options.limits);
  return File(std::make_shared<const State>(std::move(parts), std::move(index)));
}

File File::from_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                      const Limits& limits) {
  std::vector<detail::Part> parts;
  parts.push_back(detail::part_of_bytes(bytes, std::move(owner), limits));
  detail::NameIndex index = detail::index_parts(parts, limits);
  return File(std::make_shared<const State>(std::move(parts), std::move(index)));
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

std::optional<std::size_t> File::find(std::string_view wanted) const noexcept {
  return state_->index.find(wanted, [this](std::size_t i) { return name(i); });
}

std::span<const MetadataEntry> File::metadata() const& noexcept { return state_->metadata; }

std::optional<std::string_view> File::metadata(std::string_view key) const& noexcept {
  return detail::find_metadata(state_->metadata, key);
}

Tensor File::tensor(std::size_t index) const {
  const State::Place place = state_->checked_place(index);
  const detail::Part& part = place.part;
  const DType dtype = part.table.dtype(place.index);
  if (!part.file) {
    return Tensor::share(dtype, part.table.shape(place.index),
                         {part.data + place.begin(), static_cast<std::size_t>(place.size())},
                         part.owner);
  }
  return State::named(place, [&] {
    return read_whole(*part.file, place.offset(), dtype, part.table.shape(place.index));
  });
}

Tensor File::tensor(std::string_view wanted) const {
  if (const std::optional<std::size_t> index = find(wanted)) return tensor(*index);
  throw Error(ErrorCode::not_found, "there is no tensor of that name",
              {.file = state_->parts.front().path.string(), .path = detail::for_message(wanted)});
}

Tensor File::slice(std::size_t index, std::span<const Slice> slices) const {
  const State::Place place = state_->checked_place(index);
  const detail::Part& part = place.part;
  return State::named(place, [&] {
    if (!part.file) return tensor(index).slice(slices);
    return detail::read_slice(*part.file, place.offset(), part.table.dtype(place.index),
                              part.table.shape(place.index), slices);
  });
}

void File::read_into(std::size_t index, std::span<std::byte> into) const {
  const State::Place place = state_->checked_place(index);
  const detail::Part& part = place.part;
  State::named(place, [&] {
    if (into.size() != place.size()) {
      throw Error(ErrorCode::shape_mismatch, "the memory has another size than the tensor",
                  {.expected = std::to_string(place.size()) + " bytes",
                   .found = std::to_string(into.size())});
    }
    if (part.file) {
      part.file->read_parallel(place.offset(), into);
    } else if (!into.empty()) {
      platform::copy(into.data(), part.data + place.begin(), into.size());
    }
  });
}

std::size_t File::file_count() const noexcept { return state_->parts.size(); }

const std::filesystem::path& File::path(std::size_t index) const& noexcept {
  return state_->place(index).part.path;
}

std::uint64_t File::file_offset(std::size_t index) const noexcept {
  return state_->place(index).offset();
}

std::uint64_t File::data_size() const noexcept { return state_->data_size; }

}  // namespace safestructures::safetensors
