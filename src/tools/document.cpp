#include <safestructures/tools/document.hpp>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/tools/load.hpp>
#include "tools/with_file.hpp"

namespace safestructures {

struct Document::State {
  std::string name;  // As the caller named it; empty in memory.
  LoadOptions options;
  std::shared_ptr<const Format> format;
  Content content;
};

namespace {

std::shared_ptr<const Format> format_of(const Source& source, const LoadOptions& options) {
  return options.format ? options.format : formats::for_content(source);
}

/// Gives tensors of another stored dtype their own back. References to one tensor share the copy.
void restore(Value& root) {
  struct Restored {
    std::string dtype;
    Tensor tensor;
  };
  std::unordered_map<const void*, std::vector<Restored>> known;
  walk(root, [&](Value& value, const Place&) {
    if (value.kind() != Kind::tensor) return Next::into;
    const Value* const original = value.attribute(attributes::dtype);
    if (original == nullptr) return Next::over;
    try {
      std::vector<Restored>& copies = known[value.tensor().identity()];
      const std::string dtype = original->kind() == Kind::string ? original->as_string() : "";
      const auto same = [&](const Restored& copy) {
        return copy.dtype == dtype && copy.tensor.shape() == value.tensor().shape();
      };
      auto copy = std::ranges::find_if(copies, same);
      if (copy == copies.end()) {
        copies.push_back({dtype, restored_tensor(value)});
        copy = copies.end() - 1;
      }
      value.set_tensor(copy->tensor);
    } catch (const Error& error) {
      throw error.with_path(value.tensor_name());
    }
    value.erase_attribute(attributes::dtype);
    return Next::over;
  });
}

Value load_value(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  Value root = format_of(*source, options)->read(source, options).root;
  try {
    restore(root);
    return root;
  } catch (const Error& error) {
    throw error.with_file(source->name());
  }
}

}  // namespace

Document::Document(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

Document Document::open(const std::filesystem::path& path, const LoadOptions& options) {
  return open(Source::open(path), options);
}

Document Document::open(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  std::shared_ptr<const Format> format = format_of(*source, options);
  Content content = format->read(source, options);
  return Document(std::make_shared<const State>(
      State{source->name(), options, std::move(format), std::move(content)}));
}

Document Document::from_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const LoadOptions& options) {
  return open(Source::of(bytes, std::move(owner)), options);
}

const Value& Document::root() const& noexcept { return state_->content.root; }

const Value& Document::at(std::string_view path) const& {
  try {
    return root().at(path);
  } catch (const Error& error) {
    throw error.with_file(state_->name);
  }
}
Value Document::at(std::string_view path) && { return std::as_const(*this).at(path); }

bool Document::has_schema() const noexcept { return content().has_schema; }
std::string_view Document::schema() const& noexcept { return content().schema; }
const Metadata& Document::metadata() const& noexcept { return content().metadata; }
Metadata Document::metadata() && { return content().metadata; }

std::vector<std::string> Document::unreferenced() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : content().extra_tensors) names.push_back(name);
  return names;
}

const Content& Document::content() const& noexcept { return state_->content; }
const Format& Document::format() const noexcept { return *state_->format; }

void Document::fail_container() const {
  throw Error(ErrorCode::type_mismatch, "the file is of another format than the one asked for",
              {.file = state_->name,
               .found = std::string(format().name()),
               .advice = "Ask for the container that its format names, or use root()"});
}

Value Document::state_dict() const {
  Value dict = Value::dict();
  dict.reserve(content().tensor_count);
  const auto add = [&](const std::string& name, const Tensor& tensor) {
    if (dict.find(name) != nullptr) return;
    Value value(tensor);
    value.set_tensor_name(name);
    dict.insert(name, std::move(value));
  };
  walk(root(), [&](const Place& place) {
    const Value& value = place.value();
    if (value.kind() != Kind::tensor && value.kind() != Kind::bytes) return Next::into;
    add(value.tensor_name(), value.tensor());
    return Next::over;
  });
  for (const auto& [name, tensor] : content().extra_tensors) add(name, tensor);
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
  return load_value(Source::open(path), options);
}

Value load(std::span<const std::byte> bytes, const LoadOptions& options) {
  return load_value(Source::of(bytes, nullptr), options);
}

Value load(std::vector<std::byte>&& bytes, const LoadOptions& options) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const std::span<const std::byte> view = *owner;
  return load_value(Source::of(view, std::move(owner)), options);
}

}  // namespace safestructures
