#include <safestructures/tools/document.hpp>

#include <istream>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/thread_limit.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/formats/gzip.hpp>
#include <safestructures/tools/load.hpp>
#include "data/box_arena.hpp"
#include "formats/tensor_names.hpp"
#include "tools/load_advice.hpp"
#include "tools/type_option.hpp"
#include "tools/with_file.hpp"

namespace safestructures::inline v0 {

struct detail::OpenFile {
  std::string name;  // As given by the caller; empty for memory.
  LoadOptions options;
  std::shared_ptr<const Format> format;
  Content content;
};

namespace {

std::shared_ptr<const Format> format_of(const Source& source, const LoadOptions& options) {
  return options.format ? options.format : formats::for_content(source);
}

detail::OpenFile read_file(const std::shared_ptr<const Source>& given, const LoadOptions& options) {
  const detail::ThreadLimit threads(options.threads);
  const std::shared_ptr<const Source> source = gzip::unpacked(given, options);
  std::shared_ptr<const Format> format = format_of(*source, options);
  const detail::BoxArena arena;
  Content content = format->read(source, options);
  return {source->name(), options, std::move(format), std::move(content)};
}

Value load_value(const std::shared_ptr<const Source>& given, const ReadOptions& options) {
  const detail::ThreadLimit threads(options.threads);
  const std::shared_ptr<const Source> source = gzip::unpacked(given, options);
  const detail::BoxArena arena;
  Content content = format_of(*source, options)->read(source, options);
  if (!content.notes_dtypes) return std::move(content.root);
  try {
    Decoder({.limits = options.limits, .overflow = options.overflow}).restore(content.root);
    return std::move(content.root);
  } catch (const Error& error) {
    throw error.with_file(source->name());
  }
}

/// Returns whether a file names its tensors. Burn's records do not, and a reader that knows the C++
/// type gives them no names.
bool names_tensors(const Document& document) {
  if (!document.has_schema()) return true;
  bool has_name = false;
  walk(document.root(), [&](const Place& place) {
    if (!place.value().has_tensor()) return Next::into;
    has_name = !place.value().tensor_name().empty();
    return has_name ? Next::stop : Next::over;
  });
  return has_name;
}

}  // namespace

Tensor Node::tensor() const {
  return decode([&](const Decoder& decoder) {
    if (!value_->has_tensor()) decoder.mismatch("a tensor", *value_);
    return value_->tensor();
  });
}

Node Node::at(std::string_view path) const {
  try {
    const Path more = Path::parse(path, file_->options.limits);
    const Value& value = value_->at(more);
    Path whole = path_;
    for (const std::string& step : more.steps()) whole.push_back(step);
    return {file_, std::move(whole), value};
  } catch (const Error& error) {
    throw error.with_parent_path(this->path()).with_file(file_->name);
  }
}

unsigned Node::threads() const noexcept { return file_->options.threads; }

Decoder Node::make_decoder() const {
  const LoadOptions& options = file_->options;
  return Decoder({.registry = options.registry,
                  .limits = options.limits,
                  .overflow = options.overflow,
                  .refuse_unknown_fields = options.refuse_unknown_fields});
}

std::optional<Value> Node::fitted_to(const TypeInfo& (*type)()) const {
  // `load_file<T>` gave the type before the file was read.
  if (file_->options.type != nullptr) return std::nullopt;
  LoadOptions options = file_->options;
  options.type = type;
  return file_->format->for_type(*value_, file_->content, options);
}

void Node::rethrow(const Decoder& decoder) const {
  try {
    decoder.rethrow();
  } catch (const Error& error) {
    if (auto advice = detail::advice_on(error, file_->name, file_->content, file_->options))
      throw detail::with_advice(error, *std::move(advice))
          .with_parent_path(path())
          .with_file(file_->name);
    detail::rethrow_with_place(error, file_->name, path());
  }
}

Document::Document(std::shared_ptr<const detail::OpenFile> file) noexcept
    : file_(std::move(file)) {}

Document Document::open(const std::filesystem::path& path, const LoadOptions& options) {
  return open(detail::open_file(path), options);
}

Document Document::open(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  return Document(std::make_shared<const detail::OpenFile>(read_file(source, options)));
}

Document Document::open_structure(const std::shared_ptr<const Source>& source,
                                  const LoadOptions& options) {
  detail::OpenFile file = read_file(source, options);
  file.content.schema = {};
  file.content.container.reset();
  return Document(std::make_shared<const detail::OpenFile>(std::move(file)));
}

Document Document::from_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const LoadOptions& options) {
  return open(Source::of(bytes, std::move(owner)), options);
}

const Value& Document::root() const& noexcept { return file_->content.root; }

Node Document::at(std::string_view path) const { return Node(file_, {}, root()).at(path); }

const std::string& Document::name() const& noexcept { return file_->name; }

bool Document::has_schema() const noexcept { return content().has_schema; }
std::string_view Document::schema() const& noexcept { return content().schema; }
const Metadata& Document::metadata() const& noexcept { return content().metadata; }
Metadata Document::metadata() && { return content().metadata; }

std::vector<std::string> Document::unreferenced() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : content().extra_tensors) names.push_back(name);
  return names;
}

const Content& Document::content() const& noexcept { return file_->content; }
const Format& Document::format() const noexcept { return *file_->format; }

void Document::fail_container() const {
  throw Error(ErrorCode::type_mismatch, "the file does not have the requested format",
              {.file = file_->name,
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
  const bool has_names = names_tensors(*this);
  detail::NamedTensors places;
  walk(root(), [&](const Place& place) {
    const Value& value = place.value();
    if (!value.has_tensor()) return Next::into;
    const Tensor& tensor = value.tensor();
    add(has_names ? value.tensor_name()
                  : places.enter_distinct(detail::place_name(place), tensor, tensor.dtype()),
        tensor);
    return Next::over;
  });
  for (const auto& [name, tensor] : content().extra_tensors) add(name, tensor);
  return dict;
}

LoadOptions detail::with_type(LoadOptions options, const TypeInfo& (*type)()) {
  check_type_option(options.type, type, "LoadOptions::type");
  options.type = type;
  return options;
}

Value load_file(const std::filesystem::path& path, const ReadOptions& options) {
  return load_value(detail::open_file(path), options);
}

Value load(std::istream& in, const ReadOptions& options) {
  return load_value(Source::read_all(in), options);
}

Value load(std::span<const std::byte> bytes, const ReadOptions& options) {
  return load_value(Source::of(bytes, nullptr), options);
}

Value load(std::vector<std::byte>&& bytes, const ReadOptions& options) {
  return load_value(Source::of(std::move(bytes)), options);
}

}  // namespace safestructures::inline v0
