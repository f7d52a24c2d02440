#include "formats/burnpack/write.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/value.hpp>
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "data/text/printable.hpp"
#include "data/text/utf8.hpp"
#include "formats/burn/attributes.hpp"
#include "formats/burn/param_id.hpp"
#include "formats/burnpack/description.hpp"
#include "formats/stored_dtype.hpp"
#include "formats/structure_of_names.hpp"
#include "formats/tensor_bytes.hpp"

namespace safestructures::inline v0::burnpack {

using detail::for_message;
namespace {

// The limits of Burn's reader.
constexpr std::uint64_t most_tensors = 100'000;
constexpr std::uint64_t most_description = std::uint64_t{100} << 20U;
constexpr std::uint64_t most_tensor_bytes = std::uint64_t{10} << 30U;
constexpr std::uint64_t most_file_bytes = std::uint64_t{100} << 30U;

/// Returns metadata that names the writer and the version of burn-store whose form it writes.
const Metadata& own_metadata() {
  // Never destroyed: destructors of static objects may save.
  static const Metadata& metadata =
      *new Metadata{{"format", "burnpack"}, {"producer", "safestructures"}, {"version", "0.21.0"}};
  return metadata;
}

constexpr std::array<std::byte, alignment> zeros{};

struct Item {
  TensorEntry entry;
  Tensor tensor;
};

void refuse(bool asked, std::string_view option) {
  if (asked)
    throw Error(ErrorCode::invalid_argument, "burnpack does not support a save option",
                {.found = "SaveOptions::" + std::string(option),
                 .advice = "Leave the option out, or save as safestructures"});
}

[[noreturn]] void fail_burn(std::string problem, std::uint64_t most, std::string found) {
  throw Error(ErrorCode::limit_exceeded, std::move(problem),
              {.expected = "at most " + std::to_string(most) + ", as Burn reads",
               .found = std::move(found),
               .advice = "Save it as safestructures"});
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::ranges::equal(text, form, [](char found, char expected) {
    return expected == '-' ? found == '-'
                           : (found >= '0' && found <= '9') || (found >= 'a' && found <= 'f') ||
                                 (found >= 'A' && found <= 'F');
  });
}

/// Collects the contents of the file, and refuses what it cannot hold.
class Collector {
 public:
  explicit Collector(const SaveOptions& options)
      : options_(options),
        dtypes_(options.precision),
        is_record_(options.metadata.contains("burn.version")) {}

  void collect(const Value& root) {
    // The structure is stored in names, and a lone value has none.
    if (root.kind() == Kind::tensor || root.kind() == Kind::custom) fail(root, nullptr);
    value(root, nullptr);
    for (const auto& [name, tensor] : options_.extra_tensors) {
      name_ = name;
      const Trace trace{nullptr, name};
      add(tensor, tensor.dtype(), &trace);
    }
  }

  std::vector<Item> items;
  Scalars scalars;

 private:
  [[noreturn]] void fail(const Value& item, const Trace* trace) const {
    throw Error(ErrorCode::invalid_argument, "burnpack cannot hold a value of this type",
                {.path = to_string(trace),
                 .expected = "tensors, bool, int and float, in containers that are not empty",
                 .found = describe(item),
                 .advice = "Save as safestructures"});
  }

  // Recursive over the tree, up to Limits::depth.
  void value(const Value& item, const Trace* trace) {
    if (++nodes_ > options_.limits.nodes)
      throw detail::past(detail::Limit::nodes, options_.limits.nodes, {.path = to_string(trace)});
    switch (item.kind()) {
      case Kind::tensor: return tensor(item, trace);
      case Kind::custom: return quantized(item, trace);
      case Kind::boolean:
      case Kind::floating: return scalar(item, trace);
      case Kind::integer:
        if (!item.as_int64() && !item.as_uint64()) fail(item, trace);
        return scalar(item, trace);
      case Kind::list:
      case Kind::tuple:
      case Kind::dict:
      case Kind::structure: break;
      default: fail(item, trace);
    }
    if (trace != nullptr && !is_record_ && !has_contents(item)) fail(item, trace);
    check_attributes(item, trace);
    const detail::StoredDTypes::Below below(dtypes_, item);
    if (item.is_sequence()) {
      for (std::size_t i = 0; i < item.size(); ++i)
        if (!is_left_out(item, item[i])) child(item[i], std::to_string(i), Trace{trace, {}, i});
    } else {
      for (const Entry& entry : item.entries()) {
        if (is_left_out(item, entry.value)) continue;
        const std::string label = entry.key.key_label();
        child(entry.value, label, Trace{trace, label});
      }
    }
  }

  /// Whether a part of a container is left out: in a struct, an optional field without a value; in
  /// a record, everything that is None, as in Burn's own files.
  [[nodiscard]] bool is_left_out(const Value& container, const Value& part) const {
    return part.is_none() && (is_record_ || container.kind() == Kind::structure);
  }

  [[nodiscard]] bool has_contents(const Value& container) const {
    const auto is_kept = [&](const Value& part) { return !is_left_out(container, part); };
    if (container.is_sequence()) return std::ranges::any_of(container.items(), is_kept);
    return std::ranges::any_of(container.entries(), is_kept, &Entry::value);
  }

  void child(const Value& item, const std::string& step, const Trace& trace) {
    const detail::Descent level(depth_, options_.limits.depth, &trace);
    const std::size_t size = name_.size();
    if (trace.parent != nullptr) name_ += '.';
    name_ += step;
    value(item, &trace);
    name_.resize(size);
  }

  void check_attributes(const Value& item, const Trace* trace) const {
    burn::check_attributes("burnpack", item, options_, trace);
  }

  void check_name(const Trace* trace) {
    if (detail::find_invalid_utf8(name_))
      throw Error(ErrorCode::invalid_utf8, "the name of a tensor is not valid UTF-8",
                  {.path = to_string(trace)});
    names_size_ += name_.size();
    const std::uint64_t most =
        std::min<std::uint64_t>(most_description, options_.limits.header_bytes);
    if (names_size_ > most)
      throw detail::past(detail::Limit::header_bytes, most, "the description would be too large",
                         {});
    if (!names_.insert(name_).second)
      throw Error(ErrorCode::duplicate_name, "two values have the same name with dots",
                  {.path = to_string(trace), .found = "'" + for_message(name_) + "'"});
  }

  void scalar(const Value& item, const Trace* trace) {
    if (trace == nullptr) fail(item, trace);
    check_name(trace);
    scalars.emplace_back(name_, item);
  }

  std::optional<std::uint64_t> id_of(const Value& item, const Trace* trace) const {
    const Value* const text = item.attribute(id_attribute);
    if (text == nullptr || text->is_none()) return std::nullopt;
    // Through Burn 0.14 ids were UUIDs, which do not fit.
    if (is_record_ && text->kind() == Kind::string && is_uuid(text->as_string()))
      return std::nullopt;
    const auto id =
        text->kind() == Kind::string ? burn::parse_param_id(text->as_string()) : std::nullopt;
    if (!id)
      throw Error(ErrorCode::invalid_argument, "an id does not have the form of Burn's ids",
                  {.path = to_string(trace),
                   .expected = "13 characters of 0-9 and a-v",
                   .found = describe(*text),
                   .advice = "Remove the attribute 'burn.id', or give it such a text"});
    return id;
  }

  void tensor(const Value& item, const Trace* trace) {
    check_attributes(item, trace);
    add(item.tensor(), dtypes_.of(item), trace).param_id = id_of(item, trace);
  }

  TensorEntry& add(const Tensor& tensor, DType stored, const Trace* trace) {
    if (!burn_has(stored))
      throw Error(ErrorCode::unknown_dtype, "Burn has no such dtype",
                  {.path = to_string(trace),
                   .expected = "BOOL, an integer, F16, BF16, F32 or F64",
                   .found = std::string(to_string(stored)),
                   .advice = "Save as safestructures, or in another precision"});
    if (tensor.rank() > options_.limits.rank)
      throw detail::past(detail::Limit::rank, options_.limits.rank,
                         {.path = to_string(trace), .found = std::to_string(tensor.rank())});
    if (items.size() >= options_.limits.tensors)
      throw detail::past(detail::Limit::tensors, options_.limits.tensors,
                         {.path = to_string(trace)});
    if (items.size() >= most_tensors) fail_burn("there are too many tensors", most_tensors, {});
    check_name(trace);
    Item item;
    item.entry.name = name_;
    item.entry.dtype = stored;
    item.entry.shape = tensor.shape();
    item.tensor = tensor;
    try {
      item.entry.begin = aligned(end_);
      const std::uint64_t size = byte_size(stored, tensor.shape());
      if (size > most_tensor_bytes)
        fail_burn("a tensor is too large", most_tensor_bytes, std::to_string(size) + " bytes");
      end_ = item.entry.end = item.entry.begin + size;
      if (end_ > most_file_bytes)
        fail_burn("the tensors are too large for one file", most_file_bytes,
                  std::to_string(end_) + " bytes");
    } catch (const Error& error) {
      throw error.with_path(to_string(trace));
    }
    items.push_back(std::move(item));
    return items.back().entry;
  }

  /// Adds a value that was read as a quantized tensor.
  void quantized(const Value& item, const Trace* trace) {
    if (item.type_name() != quantized_type) fail(item, trace);
    check_attributes(item, trace);
    const Value& payload = item.payload();
    const Value* dtype = payload.find(dtype_key);
    const Value* const shape = payload.find(shape_key);
    const Value* data = payload.find(quantized_data);
    // As in a record.
    if (data == nullptr && dtype != nullptr && dtype->kind() == Kind::dict && dtype->size() == 1) {
      data = payload.find(burn::bytes_name);
      dtype = dtype->find(quantized_key);
    }
    const auto fail_changed = [&](std::string expected, const Value& changed) {
      throw Error(
          ErrorCode::invalid_argument, "a burn.QFloat was changed after reading",
          {.path = to_string(trace), .expected = std::move(expected), .found = describe(changed)});
    };
    if (dtype == nullptr || shape == nullptr || data == nullptr || payload.size() != 3 ||
        shape->kind() != Kind::list || data->kind() != Kind::bytes)
      fail_changed("a dict of dtype, shape and data", payload);
    std::vector<std::uint64_t> sizes;
    for (const Value& size : shape->items()) {
      const auto number = size.kind() == Kind::integer ? size.as_uint64() : std::nullopt;
      if (!number) fail_changed("sizes as the shape", size);
      sizes.push_back(*number);
    }
    TensorEntry& entry = add(data->tensor(), DType::U8, trace);
    entry.storage = Storage::quantized;
    entry.shape = Shape(sizes);
    entry.quantization = *dtype;
    entry.param_id = id_of(item, trace);
  }

  const SaveOptions& options_;
  detail::StoredDTypes dtypes_;
  bool is_record_;    // The file comes from a record of Burn.
  std::string name_;  // The name of the current value: its place, with dots.
  std::unordered_set<std::string, detail::KeyedHash> names_;
  std::uint64_t names_size_ = 0;
  std::uint64_t end_ = 0;  // The end of the data so far.
  std::uint64_t nodes_ = 0;
  std::uint32_t depth_ = 0;
};

std::string header_of(const std::string& description) {
  std::string header(reinterpret_cast<const char*>(magic.data()), magic.size());
  const auto number = [&](std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) header += static_cast<char>(value >> (8 * i) & 0xFFU);
  };
  number(version, 2);
  number(description.size(), 4);
  return header;
}

}  // namespace

SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) {
  refuse(options.checksums, "checksums");
  refuse(options.shard_size != 0, "shard_size");
  refuse(options.tensor_names == TensorNames::numbers, "tensor_names = numbers");
  Collector found(options);
  found.collect(root);
  const std::size_t count = found.items.size();
  check_structure_of_names({.count = count + found.scalars.size(),
                            .name =
                                [&](std::size_t i) {
                                  return std::string_view(i < count
                                                              ? found.items[i].entry.name
                                                              : found.scalars[i - count].first);
                                },
                            .value = {}},
                           options.limits);
  // A record of scalars has metadata of its own, which says what they belong to.
  const bool is_bare = options.metadata.empty() && found.scalars.empty();
  std::vector<const TensorEntry*> entries;
  entries.reserve(found.items.size());
  for (const Item& item : found.items) entries.push_back(&item.entry);
  const std::string description =
      write_description(std::move(entries), is_bare ? own_metadata() : options.metadata,
                        std::move(found.scalars), options.limits);
  const std::uint64_t most = std::min<std::uint64_t>(most_description, options.limits.header_bytes);
  if (description.size() > most)
    throw detail::past(detail::Limit::header_bytes, most, "the description would be too large",
                       {.found = std::to_string(description.size())});

  const std::uint64_t begin = aligned(header_size + description.size());
  std::uint64_t position = 0;  // The position in the data.
  SaveReport report;
  report.bytes = begin + (found.items.empty() ? 0 : found.items.back().entry.end);
  sink.expect(report.bytes);
  const std::string header = header_of(description);
  sink.write_copied(std::as_bytes(std::span(header)));
  sink.write_copied(std::as_bytes(std::span(description)));
  sink.write(
      std::span(zeros).first(static_cast<std::size_t>(begin - header_size - description.size())));
  for (const Item& item : found.items) {
    sink.write(std::span(zeros).first(static_cast<std::size_t>(item.entry.begin - position)));
    const ConversionReport conversion = detail::write_named_tensor(
        sink, item.tensor, item.entry.dtype, item.entry.name, detail::Losses::of(options));
    if (conversion != ConversionReport{})
      report.conversions.push_back({for_message(item.entry.name), conversion});
    position = item.entry.end;
  }
  sink.flush();
  return report;
}

}  // namespace safestructures::inline v0::burnpack
