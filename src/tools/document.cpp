#include <safestructures/tools/document.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/checksums.hpp>
#include <safestructures/formats/schema.hpp>
#include <safestructures/tools/load.hpp>
#include "formats/schema_reader.hpp"
#include "tools/names.hpp"
#include "tools/with_file.hpp"

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

/// Which tensors of a file its structure refers to.
struct References {
  std::vector<bool> met;      // By index in the file.
  bool has_repeated = false;  // One of them twice.
};

bool is_schema_key(std::string_view key) {
  return key == schema::metadata_key || key == schema::version_key ||
         key == checksums::metadata_key;
}

/// The tensors of a file for its schema. Each is read once, however often the schema names it.
class Tensors : public schema::TensorSource {
 public:
  Tensors(const safetensors::File& file, const LoadOptions& options, References& references)
      : file_(file), options_(options), references_(references) {
    restart();
    // Of what is in memory or mapped, every tensor is a view in any case.
    if (options.access == Access::read) known_.resize(file.size());
  }

  void restart() override {
    references_.met.assign(file_.size(), false);
    references_.has_repeated = false;
    again_ = 0;
  }

  std::optional<Tensor> find(std::string_view name) override {
    const auto index = file_.find(name);
    if (!index) return std::nullopt;
    const bool is_known = references_.met[*index];
    references_.met[*index] = true;
    if (is_known && !known_.empty()) return count_again(known_[*index]);
    Tensor tensor = file_.tensor(*index);
    if (!known_.empty()) known_[*index] = tensor;
    return is_known ? count_again(std::move(tensor)) : std::move(tensor);
  }

 private:
  Tensor count_again(Tensor tensor) {
    references_.has_repeated = true;
    constexpr std::uint64_t always_allowed = std::uint64_t{1} << 30U;
    const std::uint64_t size = file_.data_size();
    // Saturated: a file on disk is far below 2^63 bytes, but bytes times a limit need not be.
    const std::uint64_t allowed = size == 0 || options_.limits.repeats <= unlimited / size
                                      ? std::max(size * options_.limits.repeats, always_allowed)
                                      : unlimited;
    if (tensor.byte_size() > allowed - again_)
      throw Error(ErrorCode::limit_exceeded, "a structure refers to the same tensors too often",
                  {.expected = "at most " + std::to_string(allowed) +
                               " bytes of repeated tensors (Limits::repeats)"});
    again_ += tensor.byte_size();
    return tensor;
  }

  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

  const safetensors::File& file_;
  const LoadOptions& options_;
  References& references_;
  std::vector<Tensor> known_;
  std::uint64_t again_ = 0;  // Bytes of repeated references.
};

Value read_schema(const safetensors::File& file, std::string_view text, const LoadOptions& options,
                  References& references) {
  const auto version = file.metadata(schema::version_key);
  // The first Python releases wrote no version; the schema was the same.
  if (version && *version != schema::version)
    throw Error(
        ErrorCode::unsupported_version, "the schema has a version that is not known here",
        {.expected = std::string(schema::version),
         .found = "'" + std::string(version->substr(0, 40)) + "'",
         .advice = "Read it with a newer safestructures, or save it again with an older one"});
  Tensors tensors(file, options, references);
  return schema::read(text, tensors, options.limits);
}

void verify_checksums(const safetensors::File& file) {
  if (checksums::verify(file)) return;
  throw Error(ErrorCode::checksum_mismatch, "the file has no checksums",
              {.advice = "Save it with SaveOptions::checksums, or load it without "
                         "LoadOptions::verify_checksums"});
}

/// The structure of a file; notes the tensors it refers to.
Value read_root(const safetensors::File& file, const LoadOptions& options, References& references) {
  if (options.verify_checksums) verify_checksums(file);
  const auto text = file.metadata(schema::metadata_key);
  if (text) return read_schema(file, *text, options, references);
  references.met.assign(file.size(), true);
  return structure_of_names(file, options.limits);
}

/// Gives tensors of another stored dtype their own back. Where the structure refers to a tensor
/// more than once, as `share` says, the references to a dtype share the converted copy.
void restore(Value& root, bool share) {
  std::map<std::pair<std::string, std::string>, Tensor> known;
  std::vector<Value*> pending = {&root};
  while (!pending.empty()) {
    Value& value = *pending.back();
    pending.pop_back();
    if (value.kind() == Kind::tensor) {
      const Value* const original = value.attribute(dtype_attribute);
      if (original == nullptr) continue;
      try {
        if (share && original->kind() == Kind::string) {
          auto [place, is_new] =
              known.try_emplace({value.tensor_name(), original->as_string()}, Tensor());
          if (is_new) place->second = restored_tensor(value);
          value.set_tensor(place->second);
        } else {
          value.set_tensor(restored_tensor(value));
        }
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
    References references;
    Value root = read_root(file, options, references);
    restore(root, references.has_repeated);
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

Document Document::make(const safetensors::File& file, std::string name,
                        const LoadOptions& options) {
  try {
    const bool has_schema = file.metadata(schema::metadata_key).has_value();
    References references;
    Value root = read_root(file, options, references);
    return Document(std::make_shared<const State>(State{
        file, std::move(name), options, has_schema, std::move(references.met), std::move(root)}));
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
    detail::rethrow_with_file(error, state_->name);
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
