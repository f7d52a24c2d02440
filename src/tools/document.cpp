#include <safestructures/tools/document.hpp>

#include <string>
#include <utility>
#include <vector>

#include "tools/names.hpp"
#include <safestructures/data/error.hpp>
#include <safestructures/formats/schema.hpp>
#include <safestructures/tools/load.hpp>

namespace safestructures {

struct Document::State {
  safetensors::File file;
  std::string name;  // As the caller named it; empty in memory.
  LoadOptions options;
  bool has_schema;
  std::vector<bool> referenced;  // By index in the file.
  Value root;
};

namespace {

bool is_schema_key(std::string_view key) {
  return key == schema::metadata_key || key == schema::version_key;
}

Value read_schema(const safetensors::File& file, std::string_view text, const Limits& limits,
                  std::vector<bool>& referenced) {
  const auto version = file.metadata(schema::version_key);
  // The first Python releases wrote no version; the schema was the same.
  if (version && *version != schema::version)
    throw Error(ErrorCode::unsupported_version, "the schema has a version that is not known here",
                {.expected = std::string(schema::version),
                 .found = "'" + std::string(version->substr(0, 40)) + "'",
                 .advice = "Read it with a newer safestructures, or save it again with an older one"});
  const schema::TensorLookup lookup = [&](std::string_view name) -> std::optional<Tensor> {
    const auto index = file.find(name);
    if (!index) return std::nullopt;
    referenced[*index] = true;
    return file.tensor(*index);
  };
  return schema::read(text, lookup, limits);
}

/// The structure of a file; notes the tensors it refers to.
Value read_root(const safetensors::File& file, const Limits& limits,
                std::vector<bool>& referenced) {
  const auto text = file.metadata(schema::metadata_key);
  referenced.assign(file.size(), !text.has_value());
  return text ? read_schema(file, *text, limits, referenced) : structure_of_names(file, limits);
}

/// Gives tensors of another stored dtype their own back.
void restore(Value& root) {
  std::vector<Value*> pending = {&root};
  while (!pending.empty()) {
    Value& value = *pending.back();
    pending.pop_back();
    if (value.kind() == Kind::tensor) {
      if (value.attribute(dtype_attribute) == nullptr) continue;
      try {
        value.set_tensor(restored_tensor(value));
      } catch (const Error& error) {
        throw error.with_path(value.tensor_name());
      }
      value.erase_attribute(dtype_attribute);
    } else if (value.is_sequence()) {
      for (Value& item : value.items()) pending.push_back(&item);
    } else if (value.is_mapping()) {
      for (std::size_t i = 0; i < value.size(); ++i) pending.push_back(&value.entry_value(i));
    } else if (value.kind() == Kind::custom) {
      pending.push_back(&value.payload());
    }
  }
}

Value load_value(const safetensors::File& file, const std::string& name,
                 const LoadOptions& options) {
  try {
    std::vector<bool> referenced;
    Value root = read_root(file, options.limits, referenced);
    restore(root);
    return root;
  } catch (const Error& error) {
    throw error.with_file(name);
  }
}

safetensors::File open_file(const std::filesystem::path& path, const LoadOptions& options) {
  return safetensors::File::open(path, {.access = options.access, .limits = options.limits});
}

}  // namespace

Document::Document(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

Document Document::make(safetensors::File file, std::string name, const LoadOptions& options) {
  try {
    const bool has_schema = file.metadata(schema::metadata_key).has_value();
    std::vector<bool> referenced;
    Value root = read_root(file, options.limits, referenced);
    return Document(std::make_shared<const State>(State{std::move(file), std::move(name), options,
                                                        has_schema, std::move(referenced),
                                                        std::move(root)}));
  } catch (const Error& error) {
    throw error.with_file(name);
  }
}

Document Document::open(const std::filesystem::path& path, const LoadOptions& options) {
  return make(open_file(path, options), path.string(), options);
}

Document Document::from_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const LoadOptions& options) {
  return make(safetensors::File::from_bytes(bytes, std::move(owner), options.limits), {}, options);
}

const Value& Document::root() const& noexcept { return state_->root; }

const Value& Document::at(std::string_view path) const& {
  try {
    return state_->root.at(path);
  } catch (const Error& error) {
    throw error.with_file(state_->name);
  }
}
Value Document::at(std::string_view path) && { return std::as_const(*this).at(path); }

bool Document::has_schema() const noexcept { return state_->has_schema; }

std::string_view Document::schema() const& noexcept {
  return state_->file.metadata(schema::metadata_key).value_or(std::string_view());
}

safetensors::Metadata Document::metadata() const {
  safetensors::Metadata result;
  for (const safetensors::MetadataEntry& entry : state_->file.metadata())
    if (!is_schema_key(entry.key)) result.emplace(entry.key, entry.value);
  return result;
}

std::vector<std::string> Document::unreferenced() const {
  std::vector<std::string> names;
  const bool may_have_dummy = state_->has_schema && state_->file.size() == 1;
  for (std::size_t i = 0; i < state_->file.size(); ++i) {
    if (state_->referenced[i]) continue;
    if (may_have_dummy && state_->file.name(i) == schema::dummy_tensor) continue;
    names.emplace_back(state_->file.name(i));
  }
  return names;
}

const safetensors::File& Document::file() const& noexcept { return state_->file; }

Value Document::state_dict() const {
  Value dict = Value::dict();
  dict.reserve(state_->file.size());
  for (std::size_t i = 0; i < state_->file.size(); ++i) {
    Value tensor(state_->file.tensor(i));
    tensor.set_tensor_name(std::string(state_->file.name(i)));
    dict.insert(state_->file.name(i), std::move(tensor));
  }
  return dict;
}

Decoder Document::make_decoder() const {
  const LoadOptions& options = state_->options;
  return Decoder({.registry = options.registry,
                  .limits = options.limits,
                  .overflow = options.overflow,
                  .refuse_unknown_fields = options.refuse_unknown_fields});
}

void Document::rethrow(const Decoder& decoder) const {
  try {
    decoder.rethrow();
  } catch (const Error& error) {
    // Nested exceptions of plugins stay attached.
    if (error.code() == ErrorCode::plugin_failed || state_->name.empty()) throw;
    throw error.with_file(state_->name);
  }
}

Value load_file(const std::filesystem::path& path, const LoadOptions& options) {
  return load_value(open_file(path, options), path.string(), options);
}

Value load(std::span<const std::byte> bytes, const LoadOptions& options) {
  return load_value(safetensors::File::from_bytes(bytes, nullptr, options.limits), {}, options);
}

Value load(std::vector<std::byte>&& bytes, const LoadOptions& options) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const std::span<const std::byte> view = *owner;
  return load_value(safetensors::File::from_bytes(view, std::move(owner), options.limits), {},
                    options);
}

}  // namespace safestructures
