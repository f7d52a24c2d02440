#include "formats/safestructures/write.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/formats/safestructures/checksums.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors/writer.hpp>

namespace safestructures::safestructures_format {
namespace {

constexpr std::array<std::int64_t, 1> dummy_elements = {0};

void refuse_own_keys(const SaveOptions& options) {
  for (const std::string_view key :
       {schema::metadata_key, schema::version_key, checksums::metadata_key, safetensors::save_key})
    // A plain file may say which version the schema had that it no longer has.
    if (options.metadata.contains(key) && (options.schema || key != schema::version_key))
      throw Error(ErrorCode::invalid_argument, "metadata has a key of the schema itself",
                  {.found = "'" + std::string(key) + "'", .advice = "Choose another key"});
}

/// The tensors of a structure that is to be saved without a schema: nothing else may be in it.
schema::Written plain_tensors(const Value& root, const SaveOptions& options) {
  schema::Written written;
  std::unordered_set<std::string> known;  // A tensor that is met twice is one tensor in the file.
  walk(root, [&](const Place& place) {
    const Value& value = place.value();
    if (value.kind() == Kind::tensor) {
      std::string_view name = value.tensor_name();
      if (name.empty()) {
        const std::string dotted = place.path().dotted();
        name = written.keep(dotted.empty() ? "tensor" : dotted);
      } else if (!known.emplace(name).second) {
        return Next::over;
      }
      written.tensors.emplace_back(name, value.tensor(),
                                   options.precision.stored(value.tensor().dtype()));
      return Next::over;
    }
    if (value.is_sequence() || value.is_mapping()) return Next::into;
    throw Error(ErrorCode::invalid_argument, "without a schema only tensors can be saved",
                {.path = place.path().to_string(),
                 .expected = "a tensor, or containers of tensors",
                 .found = describe(value),
                 .advice = "Save with SaveOptions::schema"});
  });
  return written;
}

/// A text that is all a custom value holds is the name of a tensor to readers, where there is one.
void check_extra_names(const Value& root, const SaveOptions& options) {
  if (options.extra_tensors.empty() || !options.schema) return;
  walk(root, [&](const Place& place) {
    const Value& value = place.value();
    if (value.kind() == Kind::custom && value.payload().kind() == Kind::string &&
        value.payload().is_plain() && options.extra_tensors.contains(value.payload().as_string()))
      throw Error(ErrorCode::duplicate_name,
                  "what a custom value holds is the name of a tensor beside the structure",
                  {.path = place.path().to_string(),
                   .found = "'" + value.payload().as_string() + "' in SaveOptions::extra_tensors",
                   .advice = "Give the tensor another name"});
    return Next::into;
  });
}

}  // namespace

SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) {
  refuse_own_keys(options);
  check_extra_names(root, options);
  schema::Written written =
      options.schema ? schema::write(root, options) : plain_tensors(root, options);
  Metadata metadata = options.metadata;
  if (options.schema) {
    metadata.emplace(schema::metadata_key, std::move(written.text));
    metadata.emplace(schema::version_key, schema::version);
  }
  std::vector<safetensors::Item>& items = written.tensors;
  for (const auto& [name, tensor] : options.extra_tensors) items.emplace_back(name, tensor);
  const Tensor dummy = Tensor::of<std::int64_t>(dummy_elements);
  if (items.empty() && options.schema) items.emplace_back(schema::dummy_tensor, dummy);
  if (options.checksums)
    metadata.emplace(checksums::metadata_key, checksums::make(items, metadata, options.overflow));
  const safetensors::WriteOptions write_options = {
      .overflow = options.overflow, .lossless = options.lossless, .limits = options.limits};
  return options.shard_size == 0
             ? safetensors::write(sink, items, metadata, write_options)
             : safetensors::write_sharded(sink, items, metadata, options.shard_size, write_options);
}

}  // namespace safestructures::safestructures_format
