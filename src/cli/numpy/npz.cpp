#include "cli/numpy/npz.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <safestructures/codecs/values.hpp>
#include <safestructures/data/attributes.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/path.hpp>
#include "cli/numpy/npy.hpp"
#include "cli/numpy/zip_writer.hpp"
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "data/path_text.hpp"
#include "data/text/nearest_name.hpp"
#include "data/text/printable.hpp"
#include "formats/lossy.hpp"
#include "formats/stored_tensor.hpp"
#include "formats/zip/read.hpp"

namespace safestructures::cli {
namespace {

constexpr std::array<std::string_view, 1> endings = {".npz"};
constexpr std::string_view member_ending = ".npy";

/// Whether a text is one of Python's: UTF-8 in which halves of surrogate pairs count as characters.
bool is_python_text(std::string_view text) {
  while (!text.empty()) {
    const detail::CodePoint code = detail::first_code_point(text);
    if (!code.is_valid) return false;
    text.remove_prefix(code.size);
  }
  return true;
}

/// Returns the name of an array, from that of its file in the archive.
std::string array_name(const zip::Entry& entry) {
  if (!is_python_text(entry.name))
    throw Error(ErrorCode::invalid_utf8, "the name of a file in the archive is not UTF-8",
                {.path = entry.name});
  if (!entry.name.ends_with(member_ending))
    throw Error(ErrorCode::invalid_header, "the archive holds a file that is not an array",
                {.path = entry.name, .expected = "names that end in .npy"});
  return entry.name.substr(0, entry.name.size() - member_ending.size());
}

Content read(const std::shared_ptr<const Source>& given, const LoadOptions& options) {
  // It is read at several places at once.
  const std::shared_ptr<const Source> archive =
      detail::brought(given, options.access == Access::map ? Access::map : Access::memory);
  Content content;
  content.root = Value::dict();
  content.description = "none: arrays of NumPy by name";
  for (const zip::Entry& entry : zip::read_directory(*archive, options.limits)) {
    const std::string name = array_name(entry);
    try {
      const SharedBytes bytes = zip::read_entry(*archive, entry);
      Value value(read_npy(bytes.bytes, bytes.owner, options.limits));
      value.set_tensor_name(name);
      content.tensor_bytes += value.tensor().byte_size();
      content.root.insert(name, std::move(value));
    } catch (const Error& error) {
      throw error.with_path(name);
    }
  }
  content.tensor_count = content.root.size();
  if (!given->name().empty() && !given->is_in_memory()) content.files = {given->name()};
  return content;
}

[[noreturn]] void fail_kind(const Value& value, const Trace* trace) {
  throw Error(ErrorCode::invalid_argument, "a .npz file holds arrays and numbers only",
              {.path = to_string(trace),
               .found = describe(value),
               .advice = "Save as .safetensors or .json, which hold everything"});
}

/// Returns a scalar as an array without dimensions.
Tensor scalar(const Value& value, const Trace* trace) {
  const auto make = []<class T>(T number) {
    Tensor tensor = Tensor::allocate(dtype_of<T>, Shape{});
    tensor.mutable_data<T>()[0] = number;
    return tensor;
  };
  if (value.kind() == Kind::boolean) return make(value.as_bool());
  if (value.kind() == Kind::floating) return make(value.as_double());
  if (value.kind() == Kind::integer) {
    if (const auto number = value.as_int64()) return make(*number);
    if (const auto number = value.as_uint64()) return make(*number);
  }
  fail_kind(value, trace);
}

class Writer {
 public:
  Writer(Sink& sink, const SaveOptions& options) : zip_(sink), options_(options) {}

  SaveReport write(const Value& root) {
    value(root, nullptr);
    for (const auto& [name, tensor] : options_.extra_tensors) {
      try {
        add(name, tensor, false);
      } catch (const Error& error) {
        throw error.with_path(name);
      }
    }
    zip_.finish();
    return std::move(report_);
  }

 private:
  // Recurses over the tree, up to Limits::depth. A walk would take parts of keys for values.
  void value(const Value& item, const Trace* trace) {
    check_attributes(item, trace);
    if (!item.is_sequence() && !item.is_mapping()) return leaf(item, trace);
    // Containers only exist through the names of their members: an empty one would be lost.
    if (item.size() == 0 && trace != nullptr) fail_kind(item, trace);
    if (item.is_sequence()) {
      for (std::size_t i = 0; i < item.size(); ++i)
        child(item[i], std::to_string(i), Trace{trace, {}, i});
    } else {
      for (const Entry& entry : item.entries()) {
        const std::string label = entry.key.key_label();
        child(entry.value, label, Trace{trace, label});
      }
    }
  }

  void child(const Value& item, const std::string& step, const Trace& trace) {
    const detail::Descent level(depth_, options_.limits.depth, &trace);
    const std::size_t size = name_.size();
    if (trace.parent != nullptr) name_ += '.';
    name_ += step;
    value(item, &trace);
    name_.resize(size);
  }

  void leaf(const Value& item, const Trace* trace) {
    const bool is_tensor = item.has_tensor();
    try {
      add(trace == nullptr ? "tensor" : name_, is_tensor ? item.tensor() : scalar(item, trace),
          item.kind() == Kind::tensor);
    } catch (const Error& error) {
      throw error.with_path(to_string(trace));
    }
  }

  /// Refuses attributes, which have no place here, except those that types and dtypes leave.
  void check_attributes(const Value& item, const Trace* trace) const {
    constexpr std::array own = {attributes::burn_id, attributes::class_version, attributes::columns,
                                attributes::complex, attributes::dtype,         attributes::names,
                                attributes::variant};
    if (!options_.extensions) return;
    for (const Entry& attribute : item.attributes()) {
      const std::string& name = attribute.key.as_string();
      if (std::ranges::find(own, name) != own.end()) continue;
      throw Error(
          ErrorCode::invalid_argument, "a .npz file cannot hold attributes of values",
          {.path = to_string(trace),
           .found = "the attribute " + detail::list_names(std::array{std::string_view(name)}),
           .advice = "Save as .safetensors or .json, which hold everything"});
    }
  }

  void add(const std::string& name, const Tensor& tensor, bool is_converted) {
    kept_.add(name);
    // A reader would only find one of the two.
    if (!names_.insert(name).second)
      throw Error(ErrorCode::duplicate_name, "two values have the same name with dots",
                  {.found = detail::list_names(std::array{std::string_view(name)}),
                   .advice = "Rename one of them, or save as .safetensors or .json, which keep "
                             "them apart"});
    const DType dtype = is_converted ? options_.precision.stored(tensor.dtype()) : tensor.dtype();
    if (dtype == tensor.dtype()) return write_array(name, tensor.contiguous());
    Tensor converted = Tensor::allocate(dtype, tensor.shape());
    detail::StoredElements elements(tensor, dtype, detail::Losses::of(options_));
    elements.copy(0, tensor.size(), converted.mutable_bytes());
    const ConversionReport lost = elements.finish(name);
    if (lost != ConversionReport{}) report_.conversions.push_back({name, lost});
    write_array(name, converted);
  }

  void write_array(const std::string& name, const Tensor& tensor) {
    zip_.add(name + std::string(member_ending), npy_header(tensor, "--precision f32"),
             tensor.bytes());
  }

  ZipWriter zip_;
  const SaveOptions& options_;
  SaveReport report_;
  std::uint32_t depth_ = 0;
  std::string name_;  // The name of the value that is being written.
  std::unordered_set<std::string, detail::KeyedHash> names_;
  detail::PathText kept_;  // Bounds the size of `names_` and the archive's directory.
};

class NpzFormat final : public Format {
 public:
  std::string_view name() const noexcept override { return "npz"; }
  std::span<const std::string_view> extensions() const noexcept override { return endings; }
  bool recognises(std::span<const std::byte> head, std::uint64_t) const override {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    // The second one is the end record of an archive without files.
    return text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06");
  }
  Content read(const std::shared_ptr<const Source>& source,
               const LoadOptions& options) const override {
    try {
      return cli::read(source, options);
    } catch (const Error& error) {
      throw error.with_file(source->name());
    }
  }
  SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const override {
    if (options.shard_size != 0 || options.checksums)
      throw Error(ErrorCode::invalid_argument, "a .npz file can have neither shards nor checksums",
                  {.advice = "Save as .safetensors"});
    const std::uint64_t start = sink.position();
    SaveReport report = Writer(sink, options).write(root);
    sink.flush();
    report.bytes = sink.position() - start;
    return report;
  }
};

}  // namespace

const std::shared_ptr<const Format>& npz() {
  static const std::shared_ptr<const Format> format = std::make_shared<const NpzFormat>();
  return format;
}

}  // namespace safestructures::cli
