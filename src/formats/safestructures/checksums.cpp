#include <safestructures/formats/safestructures/checksums.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "data/text/json_text.hpp"
#include "data/text/printable.hpp"
#include "data/text/utf8.hpp"
#include "formats/json/tree.hpp"
#include "formats/safestructures/checksums_text.hpp"
#include "platform/xxh3.hpp"

namespace safestructures::inline v0::checksums {
namespace {

using detail::for_message;
using detail::in_quotes;

constexpr std::string_view algorithm = "XXH3-64";
constexpr std::size_t digits = 16;
// Elements are converted in pieces that fit into the second-level cache; a multiple of eight, for
// packed elements.
constexpr std::uint64_t block_elements = std::uint64_t{16} << 10U;
// The largest number of damaged tensors that a message names.
constexpr std::size_t most_named = 8;

using platform::xxh3;

std::uint64_t hash_of(std::string_view text) { return xxh3(std::as_bytes(std::span(text))); }

/// Returns whether a key of the metadata has its own checksum: the schema shares one with the
/// tensors' descriptions, and the checksums themselves have none.
bool has_own_checksum(std::string_view key) {
  return key != schema::metadata_key && key != metadata_key;
}

std::uint64_t hash_of(const safetensors::Item& item, Overflow overflow) {
  const Tensor& tensor = *item.tensor;
  if (tensor.is_contiguous() && tensor.dtype() == item.dtype) return xxh3(tensor.bytes());
  const std::uint64_t most = tensor.block_elements(block_elements);
  std::vector<std::byte> block;
  platform::Xxh3 hasher;
  for (std::uint64_t first = 0; first < tensor.size();) {
    const std::uint64_t count = std::min(most, tensor.size() - first);
    block.resize(static_cast<std::size_t>((count * bit_width(item.dtype) + 7) / 8));
    tensor.copy_elements(first, count, item.dtype, block, overflow);
    hasher.add(block);
    first += count;
  }
  return hasher.value();
}

/// Sorts tensors by name; in most files they already are.
template <class Tensors, class Name>
void sort_by_name(Tensors& tensors, Name name) {
  if (!std::ranges::is_sorted(tensors, {}, name)) std::ranges::sort(tensors, {}, name);
}

/// Computes the checksum of a schema, over its text and a line for each tensor.
class SchemaHasher {
 public:
  explicit SchemaHasher(std::string_view schema) { hasher_.add(std::as_bytes(std::span(schema))); }

  /// Must be called in the order of the names.
  void add(std::string_view name, DType dtype, const Shape& shape) {
    // Calling the hash for each part of a line would cost more than hashing the part.
    constexpr std::size_t gathered = std::size_t{8} << 10U;
    lines_.append(1, '\n').append(name).append(1, ' ').append(to_string(dtype)).append(1, ' ');
    lines_ += to_string(shape);
    if (lines_.size() >= gathered) flush();
  }

  [[nodiscard]] std::uint64_t value() {
    flush();
    return hasher_.value();
  }

 private:
  void flush() {
    hasher_.add(std::as_bytes(std::span(lines_)));
    lines_.clear();
  }

  platform::Xxh3 hasher_;
  std::string lines_;
};

std::string hex(std::uint64_t hash) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; hash >>= 4U) text[i] = "0123456789abcdef"[hash & 15U];
  return text;
}

[[noreturn]] void malformed(std::string problem, std::string path = {}) {
  throw Error(ErrorCode::invalid_metadata, std::move(problem),
              {.path = std::move(path),
               .expected = "the form that docs/format.md gives for " + std::string(metadata_key)});
}

std::uint64_t number_of(const json::Element& value, std::string_view name) {
  const auto text = value.string();
  std::uint64_t hash = 0;
  // A flipped bit makes capital letters of small ones.
  const auto is_capital = [](char letter) { return letter >= 'A' && letter <= 'F'; };
  if (text && text->size() == digits && std::ranges::none_of(*text, is_capital)) {
    const auto [end, error] = std::from_chars(text->data(), text->data() + digits, hash, 16);
    if (error == std::errc() && end == text->data() + digits) return hash;
  }
  malformed("a checksum is not text of 16 lowercase hexadecimal digits", for_message(name));
}

/// The checksums of a file, as stored in its metadata.
struct Stored {
  json::Tree tree;
  std::uint64_t schema = 0;
  std::optional<json::Element> metadata;  // The first versions wrote none.
  json::Element tensors;

  explicit Stored(std::string_view text) : tree(parse(text)) {
    if (!tree.root().is(json::Token::object)) malformed("the checksums are not a JSON object");
    const auto name = find("algorithm");
    if (!name || !name->string()) malformed("the checksums do not name their algorithm");
    if (name->text() != algorithm)
      throw Error(ErrorCode::unsupported_version, "the checksums have an unknown algorithm",
                  {.expected = std::string(algorithm),
                   .found = in_quotes(name->text()),
                   .advice = "Check the file with a newer safestructures"});
    const auto of_schema = find("schema");
    if (!of_schema) malformed("the checksums lack one for the schema");
    schema = number_of(*of_schema, {});
    metadata = find("metadata");
    if (metadata && !metadata->is(json::Token::object))
      malformed("the checksums of the metadata are not an object");
    const auto of_tensors = find("tensors");
    if (!of_tensors || !of_tensors->is(json::Token::object))
      malformed("the checksums lack those of tensors");
    tensors = *of_tensors;
    // Damage to its name must not hide one of the parts, of which `metadata` may be missing.
    constexpr std::array<std::string_view, 4> parts = {"algorithm", "schema", "metadata",
                                                       "tensors"};
    for (const auto& [part, value] : tree.root().members())
      if (std::ranges::find(parts, part) == parts.end())
        malformed("the checksums have an unknown part", for_message(part));
  }

 private:
  static json::Tree parse(std::string_view text) {
    try {
      // Four levels are more than the checksums have.
      return {text, {.what = "the checksums", .depth = 4}};
    } catch (const Error&) {
      malformed("the checksums are not a JSON object");
    }
  }

  [[nodiscard]] std::optional<json::Element> find(std::string_view wanted) const {
    for (const auto& [name, value] : tree.root().members())
      if (name == wanted) return value;
    return std::nullopt;
  }
};

/// Returns the checksum of each tensor by its index in the file.
std::vector<std::uint64_t> by_index(const safetensors::File& file, const json::Element& tensors) {
  std::vector<std::uint64_t> hashes(file.size());
  std::vector<bool> met(file.size());
  for (const auto& [name, value] : tensors.members()) {
    const auto index = file.find(name);
    if (!index)
      throw Error(ErrorCode::missing_tensor, "the file lacks a tensor that has a checksum",
                  {.path = for_message(name),
                   .advice = "A tensor was removed or renamed after the file was saved"});
    if (met[*index])
      throw Error(ErrorCode::duplicate_name, "a tensor has two checksums",
                  {.path = for_message(name)});
    met[*index] = true;
    hashes[*index] = number_of(value, name);
  }
  const auto missed = std::ranges::find(met, false);
  if (missed != met.end())
    throw Error(ErrorCode::checksum_mismatch, "a tensor has no checksum although others have",
                {.path = for_message(file.name(static_cast<std::size_t>(missed - met.begin()))),
                 .advice = "A tensor was added or renamed after the file was saved"});
  return hashes;
}

void check_schema(const safetensors::File& file, std::uint64_t expected) {
  std::vector<safetensors::TensorInfo> tensors;
  tensors.reserve(file.size());
  for (std::size_t i = 0; i < file.size(); ++i) tensors.push_back(file.info(i));
  sort_by_name(tensors, &safetensors::TensorInfo::name);
  SchemaHasher hasher(file.metadata(schema::metadata_key).value_or(std::string_view()));
  for (const safetensors::TensorInfo& info : tensors) hasher.add(info.name, info.dtype, info.shape);
  const std::uint64_t found = hasher.value();
  if (found == expected) return;
  throw Error(ErrorCode::checksum_mismatch,
              "the schema, or a tensor's dtype or shape, is not the one that was saved",
              {.expected = "checksum " + hex(expected),
               .found = hex(found),
               .advice = "Get the file again from where it came from"});
}

void check_metadata(const safetensors::File& file, const json::Element& entries) {
  for (const auto& [key, stored] : entries.members()) {
    const std::uint64_t expected = number_of(stored, key);
    const auto value = file.metadata(key);
    if (!value)
      throw Error(ErrorCode::checksum_mismatch,
                  "the file lacks metadata that has a checksum, of key " + in_quotes(key),
                  {.advice = "It was removed or renamed after the file was saved"});
    const std::uint64_t found = hash_of(*value);
    if (found == expected) continue;
    throw Error(ErrorCode::checksum_mismatch,
                "the metadata of key " + in_quotes(key) + " is not what was saved",
                {.expected = "checksum " + hex(expected),
                 .found = hex(found),
                 .advice = "Get the file again from where it came from"});
  }
}

[[noreturn]] void fail_tensors(const safetensors::File& file,
                               const std::vector<std::size_t>& damaged, std::uint64_t expected,
                               std::uint64_t found) {
  const std::size_t first = damaged.front();
  ErrorDetails details{.file = file.path(first).string(),
                       .path = for_message(file.name(first)),
                       .expected = "checksum " + hex(expected),
                       .found = hex(found),
                       .advice = "Get the file again from where it came from",
                       .offset = file.file_offset(first)};
  if (damaged.size() == 1)
    throw Error(ErrorCode::checksum_mismatch, "the bytes of a tensor are not those that were saved",
                std::move(details));
  std::string names;
  for (std::size_t i = 1; i < damaged.size() && i <= most_named; ++i)
    names += (i == 1 ? "" : ", ") + in_quotes(file.name(damaged[i]));
  if (damaged.size() - 1 > most_named)
    names += " and " + std::to_string(damaged.size() - 1 - most_named) + " more";
  throw Error(ErrorCode::checksum_mismatch,
              "the bytes of " + std::to_string(damaged.size()) +
                  " tensors are not those that were saved, this one and " + names,
              std::move(details));
}

void check_tensors(const safetensors::File& file, const std::vector<std::uint64_t>& expected) {
  std::vector<std::size_t> damaged;
  std::uint64_t first_found = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    const Tensor tensor = file.tensor(i);
    const std::uint64_t found = xxh3(tensor.bytes());
    if (found == expected[i]) continue;
    if (damaged.empty()) first_found = found;
    damaged.push_back(i);
  }
  if (!damaged.empty()) fail_tensors(file, damaged, expected[damaged.front()], first_found);
}

/// Throws unless all files of a checkpoint have the same metadata, which their save gave them.
void check_files(const safetensors::File& file) {
  // The index and all files, unless a source of the user's has no names.
  std::vector<std::filesystem::path> paths = file.files();
  paths.resize(file.file_count() + 1);
  const std::span<const safetensors::MetadataEntry> first = file.metadata_of(0);
  for (std::size_t i = 1; i < file.file_count(); ++i)
    if (!std::ranges::equal(file.metadata_of(i), first, [](const auto& a, const auto& b) {
          return a.key == b.key && a.value == b.value;
        }))
      throw Error(ErrorCode::checksum_mismatch,
                  "the files of a checkpoint do not have the same metadata",
                  {.file = paths[i + 1].string(),
                   .expected = "the metadata of " + in_quotes(paths[1].filename().string()),
                   .found = "others",
                   .advice = "Get both files again from where they came from"});
}

/// Returns the key under which a file has checksums that damage has left without their own.
std::optional<std::string_view> renamed_key(const safetensors::File& file) {
  const std::string begin = R"({"algorithm":")" + std::string(algorithm) + R"(","schema":")";
  for (const safetensors::MetadataEntry& entry : file.metadata())
    if (entry.value.starts_with(begin)) return entry.key;
  return std::nullopt;
}

/// Begins the next member of an object: its name and the quote of its value.
void append_name(std::string& text, std::string_view name, const char* problem) {
  if (text.back() != '{') text += ',';
  if (detail::find_invalid_utf8(name))
    throw Error(ErrorCode::invalid_utf8, problem, {.found = in_quotes(name)});
  json::append_string(text, name, json::Escapes::all, nullptr);
  text += ":\"";
}

}  // namespace

std::string text_of(std::vector<Known> tensors, const Metadata& metadata) {
  sort_by_name(tensors, &Known::name);
  const auto schema = metadata.find(schema::metadata_key);
  const std::string_view schema_text =
      schema == metadata.end() ? std::string_view() : std::string_view(schema->second);
  SchemaHasher hasher(schema_text);
  for (const Known& tensor : tensors) hasher.add(tensor.name, tensor.dtype, *tensor.shape);
  std::string text = R"({"algorithm":")" + std::string(algorithm) + R"(","schema":")" +
                     hex(hasher.value()) + R"(","metadata":{)";
  for (const auto& [key, value] : metadata) {
    if (!has_own_checksum(key)) continue;
    append_name(text, key, "a key of the metadata is not valid UTF-8");
    text += hex(hash_of(value)) + '"';
  }
  text += R"(},"tensors":{)";
  for (const Known& tensor : tensors) {
    append_name(text, tensor.name, "the name of a tensor is not valid UTF-8");
    text += hex(tensor.hash) + '"';
  }
  text += "}}";
  return text;
}

std::string make(std::span<const safetensors::Item> items, const Metadata& metadata,
                 Overflow overflow) {
  std::vector<Known> known;
  known.reserve(items.size());
  for (const safetensors::Item& item : items) {
    // Checked before its bytes are read.
    if (detail::find_invalid_utf8(item.name))
      throw Error(ErrorCode::invalid_utf8, "the name of a tensor is not valid UTF-8",
                  {.found = in_quotes(item.name)});
    try {
      known.push_back({item.name, item.dtype, &item.tensor->shape(), hash_of(item, overflow)});
    } catch (const Error& error) {
      throw error.with_path(for_message(item.name));
    }
  }
  return text_of(std::move(known), metadata);
}

bool are_in(const safetensors::File& file) {
  return file.metadata(metadata_key).has_value() || renamed_key(file).has_value();
}

bool verify(const safetensors::File& file) {
  const auto text = file.metadata(metadata_key);
  const auto renamed = text ? std::nullopt : renamed_key(file);
  if (!text && !renamed) return false;
  const std::string name = file.size() == 0 ? std::string() : file.path(0).string();
  try {
    if (renamed)
      throw Error(ErrorCode::checksum_mismatch, "the checksums have another key",
                  {.expected = in_quotes(metadata_key),
                   .found = in_quotes(*renamed),
                   .advice = "Get the file again from where it came from"});
    check_files(file);
    const Stored stored(*text);
    const std::vector<std::uint64_t> expected = by_index(file, stored.tensors);
    check_schema(file, stored.schema);
    if (stored.metadata) check_metadata(file, *stored.metadata);
    check_tensors(file, expected);
  } catch (const Error& error) {
    throw error.with_file(name);
  }
  return true;
}

}  // namespace safestructures::inline v0::checksums
