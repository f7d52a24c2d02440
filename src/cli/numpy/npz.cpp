#include "cli/numpy/npz.hpp"

#include <array>
#include <sstream>
#include <string>
#include <utility>

#include <safestructures/codecs/values.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/walk.hpp>
#include "cli/numpy/npy.hpp"
#include "cli/numpy/zip.hpp"
#include "data/text/printable.hpp"
#include "formats/lossy.hpp"

namespace safestructures::cli {
namespace {

constexpr std::array<std::string_view, 1> endings = {".npz"};
constexpr std::string_view member_ending = ".npy";

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const detail::CodePoint code = detail::first_code_point(text);
    if (!code.is_valid) return false;
    text.remove_prefix(code.size);
  }
  return true;
}

/// The name of an array, from that of its file in the archive.
std::string array_name(const ZipEntry& entry) {
  if (!is_utf8(entry.name))
    throw Error(ErrorCode::invalid_utf8, "the name of a file in the archive is not UTF-8",
                {.path = entry.name});
  if (!entry.name.ends_with(member_ending))
    throw Error(ErrorCode::invalid_header, "the archive holds a file that is no array",
                {.path = entry.name, .expected = "names that end in .npy"});
  return entry.name.substr(0, entry.name.size() - member_ending.size());
}

/// Everything in memory, or the mapping: an archive is read from several places at once.
SharedBytes all_bytes(const Source& source, Access access) {
  const auto size = static_cast<std::size_t>(source.size());
  if (access == Access::map) return source.view(0, size);
  const auto bytes = std::make_shared<std::vector<std::byte>>(size);
  source.read(0, *bytes);
  return {*bytes, bytes};
}

Content read(const Source& source, const LoadOptions& options) {
  const SharedBytes archive = all_bytes(source, options.access);
  Content content;
  content.root = Value::dict();
  content.description = "none: arrays of NumPy by name";
  for (const ZipEntry& entry : read_directory(archive.bytes, options.limits.tensors)) {
    const std::string name = array_name(entry);
    try {
      const SharedBytes bytes = read_entry(archive, entry);
      Value value(read_npy(bytes.bytes, bytes.owner, options.limits));
      value.set_tensor_name(name);
      content.tensor_bytes += value.tensor().byte_size();
      content.root.insert(name, std::move(value));
    } catch (const Error& error) {
      throw error.with_path(name);
    }
  }
  content.tensor_count = content.root.size();
  if (!source.name().empty() && !source.is_in_memory()) content.files = {source.name()};
  return content;
}

[[noreturn]] void fail_kind(const Value& value, const Place& place) {
  throw Error(ErrorCode::invalid_argument, "a .npz file holds arrays and numbers only",
              {.path = place.path().to_string(),
               .found = describe(value),
               .advice = "Save as .safetensors or .json, which hold everything"});
}

/// A scalar as an array without dimensions.
Tensor scalar(const Value& value, const Place& place) {
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
  fail_kind(value, place);
}

class Writer {
 public:
  Writer(Sink& sink, const SaveOptions& options) : zip_(sink), options_(options) {}

  SaveReport write(const Value& root) {
    walk(root, [&](const Place& place) {
      const Value& value = place.value();
      if (value.is_sequence() || value.is_mapping()) return Next::into;
      const bool is_tensor = value.kind() == Kind::tensor || value.kind() == Kind::bytes;
      const std::string dotted = place.path().dotted();
      try {
        add(dotted.empty() ? "tensor" : dotted, is_tensor ? value.tensor() : scalar(value, place),
            value.kind() == Kind::tensor);
      } catch (const Error& error) {
        throw error.with_path(place.path().to_string());
      }
      return Next::over;
    });
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
  void add(const std::string& name, const Tensor& tensor, bool is_converted) {
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
};

class NpzFormat final : public Format {
 public:
  std::string_view name() const noexcept override { return "npz"; }
  std::span<const std::string_view> extensions() const noexcept override { return endings; }
  bool recognises(std::span<const std::byte> head, std::uint64_t) const override {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    // The second is the end record of an archive without files.
    return text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06");
  }
  Content read(const std::shared_ptr<const Source>& source,
               const LoadOptions& options) const override {
    try {
      return cli::read(*source, options);
    } catch (const Error& error) {
      throw error.with_file(source->name());
    }
  }
  SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const override {
    if (options.shard_size != 0 || options.checksums)
      throw Error(ErrorCode::invalid_argument, "a .npz file has neither shards nor our checksums",
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
