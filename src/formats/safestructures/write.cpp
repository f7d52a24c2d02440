#include "formats/safestructures/write.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/formats/safestructures/checksums.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors/writer.hpp>
#include "data/limit.hpp"
#include "data/text/json_text.hpp"
#include "formats/safestructures/schema_inside.hpp"
#include "formats/safetensors/plan.hpp"
#include "formats/structure_of_names.hpp"

namespace safestructures::inline v0::safestructures_format {
namespace {

constexpr std::array<std::int64_t, 1> dummy_elements = {0};

void refuse_own_keys(const SaveOptions& options) {
  for (const std::string_view key :
       {schema::metadata_key, schema::version_key, checksums::metadata_key, safetensors::save_key})
    // A plain file may keep the version of a schema that it no longer has.
    if (options.metadata.contains(key) && (options.schema || key != schema::version_key))
      throw Error(ErrorCode::invalid_argument,
                  "the metadata has a key that is reserved for the schema",
                  {.found = "'" + std::string(key) + "'", .advice = "Choose another key"});
}

/// Returns the name of a tensor in a file without a schema. There the names are the structure: one
/// that a tensor got elsewhere, in the file it was loaded from, would put it back there.
std::string_view plain_name(const Place& place, schema::Written& written) {
  if (place.depth() > 0) return written.keep(place.dotted());
  // "" may be the name of a dict's item, so the root needs another one.
  const std::string_view given = place.value().tensor_name();
  return given.empty() ? "tensor" : given;
}

/// Returns the tensors of a structure to be saved without a schema, which may hold nothing else.
schema::Written plain_tensors(const Value& root, schema::ItemBlock& tensors,
                              const SaveOptions& options) {
  schema::Written written;
  walk(root, [&](const Place& place) {
    const Value& value = place.value();
    if (value.kind() == Kind::tensor) {
      tensors.emplace_back(plain_name(place, written), value.tensor(),
                           options.precision.stored(value.tensor().dtype()));
      return Next::over;
    }
    const bool is_container = value.is_sequence() || value.is_mapping();
    // An empty container would leave no trace in the file. A file of nothing is an empty dict.
    if (is_container && value.size() > 0) return Next::into;
    if (place.depth() == 0 && value.is_mapping()) return Next::into;
    throw Error(ErrorCode::invalid_argument, "without a schema only tensors can be saved",
                {.path = place.path().to_string(),
                 .expected = is_container ? "containers that are not empty"
                                          : "a tensor, or containers of tensors",
                 .found = describe(value),
                 .advice = "Save with SaveOptions::schema"});
  });
  return written;
}

/// Checks that no text that is all a custom value holds is the name of an extra tensor, which is
/// how readers would take it.
void check_extra_names(const Value& root, const SaveOptions& options) {
  if (options.extra_tensors.empty() || !options.schema) return;
  walk(root, [&](const Place& place) {
    const Value& value = place.value();
    if (value.kind() == Kind::custom && value.payload().kind() == Kind::string &&
        value.payload().is_plain() && options.extra_tensors.contains(value.payload().as_string()))
      throw Error(ErrorCode::duplicate_name,
                  "the text of a custom value is the name of a tensor outside the structure",
                  {.path = place.path().to_string(),
                   .found = "'" + value.payload().as_string() + "' in SaveOptions::extra_tensors",
                   .advice = "Give the tensor another name"});
    return Next::into;
  });
}

/// A part of a structure and the number of values it holds.
struct Part {
  const Value* value;
  Path path;
  std::uint64_t count = 0;
};

/// Returns the number of values in `root`.
std::uint64_t count_values(const Value& root) {
  std::uint64_t count = 0;
  walk(root, [&](const Place&) {
    ++count;
    return Next::into;
  });
  return count;
}

/// Returns the deepest part that holds more than half of the values, which makes up most of the
/// header.
Part largest_part(const Value& root) {
  Part part{&root, {}, count_values(root)};
  const std::uint64_t half = part.count / 2;
  for (;;) {
    std::optional<Part> larger;
    // Children only: the walk goes no deeper, and attributes come last.
    walk(*part.value, [&](const Place& place) {
      if (place.depth() == 0) return Next::into;
      const std::uint64_t count = count_values(place.value());
      if (count <= half) return Next::over;
      larger = Part{&place.value(), place.path(), count};
      return Next::stop;
    });
    if (!larger) return part;
    for (const std::string& step : larger->path.steps()) part.path.push_back(step);
    part.value = larger->value;
    part.count = larger->count;
  }
}

/// Adds to an error which part of the structure exceeds the header's limit, and what to do about
/// it.
Error with_largest_part(const Error& error, const Value& root) {
  const Part part = largest_part(root);
  const Value& value = *part.value;
  const Value* const item =
      value.kind() == Kind::list && value.size() > 0 ? &value.items().front() : nullptr;
  const bool may_be_columns =
      item != nullptr && (item->kind() == Kind::structure || item->kind() == Kind::tuple);
  ErrorDetails details = error.details();
  details.path = part.path.to_string();
  details.found +=
      ", most of them for the " + std::to_string(part.count) + " values here, " + describe(value);
  details.advice = may_be_columns
                       ? "If all its fields are numbers, save it as columns (Rules<T>::columns or "
                         "SaveOptions::columns); else see docs/limits.md"
                       : "Save many small values as few tensors: see docs/limits.md";
  return {error.code(), error.problem(), std::move(details)};
}

/// Returns whether the user's metadata takes more of the header than the schema.
bool is_metadata_larger(const Metadata& metadata, std::string_view spelled,
                        const SaveOptions& options) {
  std::size_t size = 0;
  for (const auto& [key, value] : options.metadata) size += key.size() + value.size();
  const auto schema = metadata.find(schema::metadata_key);
  return size > (schema == metadata.end() ? json::unescaped_size(spelled) : schema->second.size());
}

/// Returns whether only the header needs the schema, which is then written into it while being
/// made.
bool is_for_header_alone(const SaveOptions& options) {
  return options.schema && !options.checksums && options.shard_size == 0;
}

/// \param spelled the schema as it stands in the header, if only the header needs it
SaveReport write_items(std::span<const safetensors::Item> items, const Metadata& metadata,
                       const safetensors::detail::SpelledEntry& spelled, Sink& sink,
                       const SaveOptions& options) {
  const safetensors::WriteOptions write_options = {
      .overflow = options.overflow,
      .lossless = options.lossless,
      .refuse_range_losses = options.refuse_range_losses,
      .limits = options.limits};
  if (is_for_header_alone(options))
    return safetensors::detail::write_spelled(sink, items, metadata, spelled, write_options);
  return options.shard_size == 0
             ? safetensors::write(sink, items, metadata, write_options)
             : safetensors::write_sharded(sink, items, metadata, options.shard_size, write_options);
}

NamedValues names_of(std::span<const safetensors::Item> items) {
  return {
      .count = items.size(), .name = [items](std::size_t i) { return items[i].name; }, .value = {}};
}

/// Checks that a structure's repeated references stay within the limit set by what the file holds.
void check_repeats(const schema::Written& written, std::span<const safetensors::Item> items,
                   const SaveOptions& options) {
  if (written.repeated == 0) return;
  std::uint64_t size = 0;
  for (const safetensors::Item& item : items) size += byte_size(item.dtype, item.tensor->shape());
  const std::uint64_t most = detail::most_repeated(size, options.limits);
  if (written.repeated > most)
    throw detail::past(detail::Limit::repeats, most, {.found = std::to_string(written.repeated)});
}

bool is_header_limit(const Error& error) {
  return error.code() == ErrorCode::limit_exceeded &&
         error.details().expected.ends_with("(Limits::header_bytes)");
}

/// \param head takes the schema while it is made, if only the header needs it; or null
SaveReport write(const Value& root, Metadata metadata, safetensors::detail::HeadStart* head,
                 Sink& sink, const SaveOptions& options) {
  const bool is_escaped = is_for_header_alone(options);
  schema::TextTaker take;
  if (head != nullptr) take = [head](std::string_view piece) { return head->take(piece); };
  schema::TextBlock escaped;
  schema::ItemBlock items;
  schema::Written written = is_escaped ? schema::write_escaped(root, items, escaped, options, take)
                            : options.schema ? schema::write(root, items, options)
                                             : plain_tensors(root, items, options);
  if (options.schema && !is_escaped)
    metadata.emplace(schema::metadata_key, std::move(written.text));
  for (const auto& [name, tensor] : options.extra_tensors) items.emplace_back(name, tensor);
  const Tensor dummy = Tensor::of<std::int64_t>(dummy_elements);
  if (items.empty() && options.schema) items.emplace_back(schema::dummy_tensor, dummy);
  check_repeats(written, items, options);
  if (!options.schema) check_structure_of_names(names_of(items), options.limits);
  if (options.checksums)
    metadata.emplace(checksums::metadata_key, checksums::make(items, metadata, options.overflow));
  const safetensors::detail::SpelledEntry spelled = {
      .key = is_escaped ? schema::metadata_key : std::string_view(),
      .text = {escaped.data(), escaped.size()},
      .taken = head == nullptr ? 0 : head->taken()};
  try {
    return write_items(items, metadata, spelled, sink, options);
  } catch (const Error& error) {
    if (head != nullptr || !is_header_limit(error) ||
        is_metadata_larger(metadata, spelled.text, options))
      throw;
    throw with_largest_part(error, root);
  }
}

}  // namespace

SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) {
  refuse_own_keys(options);
  check_extra_names(root, options);
  Metadata metadata = options.metadata;
  if (options.schema) metadata.emplace(schema::version_key, schema::version);
  if (is_for_header_alone(options) && sink.overwrite(sink.position(), {})) {
    safetensors::detail::HeadStart head(sink, metadata, schema::metadata_key, options.limits);
    try {
      return write(root, metadata, &head, sink, options);
    } catch (const Error& error) {
      // What fills the header, and by how much it is too large, is known only once all of it is
      // made.
      if (!is_header_limit(error)) throw;
    }
  }
  return write(root, std::move(metadata), nullptr, sink, options);
}

}  // namespace safestructures::inline v0::safestructures_format
