#include <algorithm>
#include <any>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/formats/burn.hpp>
#include "data/text/utf8.hpp"
#include "formats/burn/bincode_reader.hpp"
#include "formats/burn/fit.hpp"
#include "formats/burn/input.hpp"
#include "formats/burn/named_reader.hpp"
#include "formats/burn/output.hpp"
#include "formats/burn/record.hpp"
#include "formats/burn/record_tensors.hpp"
#include "formats/burn/writer.hpp"
#include "formats/burn/written_metadata.hpp"
#include "formats/other_kinds.hpp"
#include "formats/refuse_checksums.hpp"
#include "formats/stored_tensor.hpp"

namespace safestructures::inline v0::burn {
namespace {

bool is_json(Encoding encoding) {
  return encoding == Encoding::json || encoding == Encoding::pretty_json;
}

void refuse(bool asked, std::string_view option) {
  if (asked)
    throw Error(ErrorCode::invalid_argument, "a record of Burn does not support a save option",
                {.found = "SaveOptions::" + std::string(option),
                 .advice = "Leave the option out, or save as safetensors"});
}

/// Whether a text describes the file that it comes from, and would not be true of a record: the
/// framework of the tensors in a safetensors file, or the program that wrote a burnpack file.
bool tells_of_file(std::string_view name, std::string_view text, const Metadata& all) {
  constexpr std::array<std::string_view, 8> frameworks = {"pt",   "np",  "tf",    "jax",
                                                          "flax", "mlx", "numpy", "paddle"};
  const auto format = all.find("format");
  if (name == "format" && std::ranges::find(frameworks, text) != frameworks.end()) return true;
  return format != all.end() && format->second == "burnpack" &&
         (name == "format" || name == "producer" || name == "version");
}

void check_options(const SaveOptions& options) {
  refuse(!options.schema, "schema = false");
  refuse(options.checksums, "checksums");
  refuse(options.shard_size > 0, "shard_size");
  refuse(options.tensor_names == TensorNames::numbers, "tensor_names = numbers");
  refuse(!options.extra_tensors.empty(), "extra_tensors");
  for (const auto& [name, text] : options.metadata) {
    const bool is_known =
        name.starts_with(metadata_prefix) &&
        std::ranges::find(RecordMetadata::fields,
                          std::string_view(name).substr(metadata_prefix.size()),
                          &std::pair<std::string_view, std::string RecordMetadata::*>::first) !=
            RecordMetadata::fields.end();
    if (!is_known && !tells_of_file(name, text, options.metadata))
      throw Error(ErrorCode::invalid_argument, "a record of Burn cannot hold other metadata",
                  {.expected = "burn.version, burn.settings and the like",
                   .found = "'" + name + "'",
                   .advice = "Save as safetensors or burnpack (.bpk), which have them, or make it "
                             "a field of the structure"});
    if (is_known && detail::find_invalid_utf8(text))
      throw Error(ErrorCode::invalid_utf8, "the metadata of key '" + name + "' is not valid UTF-8");
  }
}

Version writable(std::string_view text) {
  constexpr Version oldest = 13;
  const Version version = parse_version(text);
  if (version < oldest || version > newest_version)
    throw Error(
        ErrorCode::unsupported_version, "records cannot be written for this version of Burn",
        {.expected = "0.13 to 0.21",
         .found = "'" + std::string(text) + "'",
         .advice = "Set burn::Options::burn_version, or in the tool --metadata "
                   "burn.version=0.21.0; Burn 0.22 has no recorders: save as burnpack (.bpk)"});
  return version;
}

std::unique_ptr<Output> output_for(const Options& burn, Sink& sink, Version version) {
  constexpr unsigned pretty = 2;
  switch (burn.encoding) {
    case Encoding::messagepack: return messagepack_output(sink, version);
    case Encoding::bincode: return bincode_output(sink, version);
    case Encoding::json: return json_output(sink, version, 0);
    case Encoding::pretty_json: break;
  }
  return json_output(sink, version, pretty);
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Returns the encoding that the first bytes of a record show. \param size of the file
std::optional<Encoding> sniff(std::span<const std::byte> head, std::uint64_t size) {
  const std::string_view text = text_of(head);
  constexpr std::string_view map_of_three = "\x83\xA8metadata";
  constexpr std::string_view map_with_item = "\x83\xA4item";
  // The dtype of floats is the first field of the metadata. Checking it is needed because any map
  // may have a key named "metadata".
  constexpr std::string_view first_field = "\245float";
  const bool has_metadata_first =
      text.starts_with(map_of_three) && text.find(first_field) == map_of_three.size() + 1;
  // After an item, the metadata is visible only in small files.
  const bool has_metadata_last =
      text.starts_with(map_with_item) &&
      (size > head.size() || text.find("\xA8metadata") != std::string_view::npos);
  if (has_metadata_first || has_metadata_last) return Encoding::messagepack;
  for (const SettingsText& one : settings_texts)
    if (text.starts_with(char(one.float_type.size()) + std::string(one.float_type) +
                         char(one.int_type.size())))
      return Encoding::bincode;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return std::nullopt;
  const std::size_t quote = text.find_first_not_of(" \t\r\n", first + 1);
  if (quote == std::string_view::npos) return std::nullopt;
  const std::string_view inside = text.substr(quote);
  // Other objects may begin with metadata, too.
  const auto has = [&](std::string_view name) {
    return inside.find(name) != std::string_view::npos;
  };
  const bool is_record = inside.starts_with("\"metadata\"") && inside.find("\"float\"") < 64 &&
                         has("\"int\"") && has("\"format\"") && has("\"version\"") &&
                         has("\"settings\"") && has("\"item\"");
  return is_record ? std::optional(Encoding::json) : std::nullopt;
}

SharedBytes whole(const Source& source, Access access) {
  const auto size = static_cast<std::size_t>(source.size());
  if (access == Access::map || source.is_in_memory()) return source.view(0, size);
  auto bytes = std::make_shared<std::vector<std::byte>>(size);
  source.read(0, *bytes);
  const std::span<const std::byte> view = *bytes;
  return {view, std::move(bytes)};
}

/// What a record that was read is known by. Not the enum itself: as it is public, a user's shared
/// library would export the type information that std::any needs.
struct ReadRecord {
  Encoding encoding;
};

class BurnFormat final : public Format {
 public:
  explicit BurnFormat(Options options) : options_(std::move(options)) {}

  std::string_view name() const noexcept override {
    switch (options_.encoding) {
      case Encoding::messagepack: return "burn";
      case Encoding::bincode: return "burn-bincode";
      case Encoding::json: return "burn-compact-json";
      case Encoding::pretty_json: break;
    }
    return "burn-json";
  }
  std::span<const std::string_view> extensions() const noexcept override {
    static constexpr std::array<std::string_view, 1> messagepack = {".mpk"};
    static constexpr std::array<std::string_view, 1> bincode = {".bin"};
    if (options_.encoding == Encoding::messagepack) return messagepack;
    if (options_.encoding == Encoding::bincode) return bincode;
    return {};  // `.json` is JSON, unless its content says otherwise.
  }
  bool recognises(std::span<const std::byte> head, std::uint64_t size) const override {
    const std::optional<Encoding> found = sniff(head, size);
    return found &&
           (*found == options_.encoding || (is_json(*found) && is_json(options_.encoding)));
  }

  Content read(const std::shared_ptr<const Source>& source,
               const LoadOptions& options) const override {
    try {
      detail::refuse_checksums(options);
      Content content = read_advised(detail::brought(source, options.access), options);
      if (!source->name().empty()) content.files.emplace_back(source->name());
      return content;
    } catch (const Error& error) {
      throw error.with_file(source->name());
    }
  }

  std::optional<Value> for_type(const Value& part, const Content& content,
                                const LoadOptions& options) const override {
    RecordMetadata metadata;
    for (const auto& [name, field] : RecordMetadata::fields)
      metadata.*field = content.metadata.at(std::string(metadata_prefix) + std::string(name));
    Value result = part;
    const auto* const read = std::any_cast<ReadRecord>(&content.container);
    fit_to_type(result, metadata, read != nullptr ? read->encoding : options_.encoding, options);
    return result;
  }

  SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const override {
    check_options(options);
    const Version version = writable(version_text(options_, options));
    // Tensors did not state their dtypes before: the settings do.
    const bool has_dtypes = version >= since::tensor_data;
    const SettingsText& settings =
        settings_for(options_, options, has_dtypes ? common_float(root) : std::nullopt);
    const RecordMetadata metadata = metadata_for(options_, options, settings);
    Precision precision = options_.settings ? precision_of(*options_.settings) : options.precision;
    if (!has_dtypes) {
      check_old_floats(metadata, settings);
      precision = {precision.floats.value_or(settings.floats),
                   precision.integers.value_or(settings.integers)};
    }
    const std::uint64_t start = sink.position();
    if (!is_json(options_.encoding)) sink.expect(float_bytes(root, precision));
    const std::unique_ptr<Output> output = output_for(options_, sink, version);
    Writer writer(*output, options, precision, version, options_.tensors == Tensors::bare);
    const TypeInfo* const type = options.type != nullptr ? &options.type() : nullptr;
    writer.write(metadata, root, type);
    sink.flush();
    return {sink.position() - start, std::move(writer).conversions()};
  }

 private:
  /// Adds what Burn advises if a recorder fails to read what another one wrote.
  Error advised(const Error& error, const RecordMetadata& metadata) const {
    if (options_.recorder.empty() || !options_.settings || metadata.format.empty()) return error;
    const bool is_its_own = metadata.format.find(options_.recorder) != std::string::npos &&
                            metadata.settings == text_of(*options_.settings).name;
    if (is_its_own) return error;
    ErrorDetails details = error.details();
    if (!details.advice.empty()) details.advice += ". ";
    details.advice += "It was recorded by " + metadata.format + " of Burn " + metadata.version +
                      ": load it with that recorder, and those settings";
    return {error.code(), error.problem(), std::move(details)};
  }

  Content read_advised(const std::shared_ptr<const Source>& source,
                       const LoadOptions& options) const {
    RecordMetadata metadata;
    try {
      return read_record(source, options, metadata);
    } catch (const Error& error) {
      throw advised(error, metadata).with_path("/");
    }
  }

  Content read_record(const std::shared_ptr<const Source>& source, const LoadOptions& options,
                      RecordMetadata& metadata) const {
    std::array<std::byte, sniffed_bytes> room;
    const std::span<std::byte> head = std::span(room).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(source->size(), room.size())));
    source->read(0, head);
    const Encoding encoding = sniff(head, source->size()).value_or(options_.encoding);
    Content content;
    content.root = encoding == Encoding::bincode ? read_bincode(source, options, metadata)
                                                 : read_named(source, encoding, options, metadata);
    const TypeInfo* const type = options.type != nullptr ? &options.type() : nullptr;
    if (type != nullptr) fit_to_type(content.root, metadata, encoding, options);
    for (const auto& [name, field] : RecordMetadata::fields)
      content.metadata.emplace(std::string(metadata_prefix) + std::string(name), metadata.*field);
    content.description = "Burn " + metadata.version + " record";
    content.container = ReadRecord{encoding};
    enter_tensors(content, type);
    return content;
  }

  void fit_to_type(Value& value, const RecordMetadata& metadata, Encoding encoding,
                   const LoadOptions& options) const {
    const std::optional<Precision> precision =
        options_.settings ? std::optional(precision_of(*options_.settings)) : std::nullopt;
    fit(value, options.type(), metadata, precision, options, is_json(encoding));
  }

  Value read_bincode(const std::shared_ptr<const Source>& source, const LoadOptions& options,
                     RecordMetadata& metadata) const {
    BincodeReader reader(source, options, options_.tensors == Tensors::bare);
    try {
      metadata = reader.metadata();
    } catch (const Error&) {
      // Other programs name files `.bin`, too.
      if (const auto other = other_kind(*source))
        throw Error(ErrorCode::invalid_header, "the file has another format",
                    {.expected = "a record of Burn",
                     .found = std::string(other->what),
                     .advice = std::string(other->advice)});
      throw;
    }
    if (options.type == nullptr)
      throw Error(
          ErrorCode::invalid_argument, "a bincode file does not describe its contents",
          {.expected = "the C++ type of the record",
           .found = "a record of Burn " + metadata.version,
           .advice = "Load it with load_file<T>, or save it as MessagePack (.mpk) in Burn"});
    return reader.item(metadata, options.type());
  }

  static Value read_named(const std::shared_ptr<const Source>& source, Encoding encoding,
                          const LoadOptions& options, RecordMetadata& metadata) {
    const bool is_mapped = options.access == Access::map;
    SharedBytes text;
    if (encoding != Encoding::messagepack) text = whole(*source, options.access);
    const auto input = [&] {
      return encoding == Encoding::messagepack
                 ? messagepack_input(source, is_mapped, options.limits)
                 : json_input(text_of(text.bytes), options.limits);
    };
    const std::unique_ptr<Input> first = input();
    metadata = NamedReader(*first, source, options).metadata();
    const std::unique_ptr<Input> second = input();
    return NamedReader(*second, source, options).item(metadata);
  }

  Options options_;
};

}  // namespace
}  // namespace safestructures::inline v0::burn

namespace safestructures::inline v0::formats {

std::shared_ptr<const Format> burn(safestructures::burn::Options options) {
  return std::make_shared<const safestructures::burn::BurnFormat>(std::move(options));
}

}  // namespace safestructures::inline v0::formats
