#include "formats/safestructures/read.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/formats/safestructures/checksums.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors/reader.hpp>
#include "data/limit.hpp"
#include "data/text/printable.hpp"
#include "formats/safestructures/checksums_text.hpp"
#include "formats/safestructures/schema_reader.hpp"
#include "formats/structure_of_names.hpp"

namespace safestructures::inline v0::safestructures_format {
namespace {

/// Returns whether a key of the metadata is the library's own; the schema's version is not if there
/// is no schema.
bool is_own_key(std::string_view key, bool has_schema) {
  return key == checksums::metadata_key || key == safetensors::save_key ||
         (has_schema && (key == schema::metadata_key || key == schema::version_key));
}

/// Returns whether a tensor is there only because a file must hold one; a structure is unlikely to
/// refer to it.
bool is_dummy(const safetensors::File& file, std::size_t index) {
  if (file.size() != 1 || file.name(index) != schema::dummy_tensor) return false;
  const safetensors::TensorInfo info = file.info(index);
  if (info.dtype != DType::I64 || info.shape != Shape{1}) return false;
  std::int64_t element = 1;
  file.tensor(index).copy_to(DType::I64, std::as_writable_bytes(std::span(&element, 1)));
  return element == 0;
}

/// The tensors of a file for its schema. Each is read once, however often the schema names it.
class Tensors : public schema::TensorSource {
 public:
  Tensors(const safetensors::File& file, const LoadOptions& options)
      : file_(file), options_(options) {
    restart();
    // If the file is in memory or mapped, every tensor is a view in any case.
    if (options.access == Access::read) known_.resize(file.size());
  }

  void restart() override {
    met_.assign(file_.size(), false);
    again_ = 0;
    next_ = 0;
    notes_dtypes_ = false;
  }

  std::optional<std::size_t> find(std::string_view name) override {
    const auto index = file_.find(name, next_);
    if (index) next_ = *index + 1;
    return index;
  }

  Tensor take(std::size_t index) override {
    const bool is_again = met_[index];
    met_[index] = true;
    if (known_.empty()) return is_again ? count_again(file_.tensor(index)) : file_.tensor(index);
    if (!is_again) return known_[index] = file_.tensor(index);
    return count_again(known_[index]);
  }

  /// Ignores the dummy tensor, whose name is a word that may well occur as a text.
  std::optional<std::size_t> find_named_by_text(std::string_view text) override {
    const auto index = file_.find(text);
    return index && is_dummy(file_, *index) ? std::nullopt : find(text);
  }

  void note_dtype() override { notes_dtypes_ = true; }

  /// Returns whether a tensor of the structure may have a note of its original dtype.
  [[nodiscard]] bool notes_dtypes() const noexcept { return notes_dtypes_; }
  /// Returns which tensors the structure refers to, by index in the file.
  [[nodiscard]] const std::vector<bool>& met() const noexcept { return met_; }

 private:
  Tensor count_again(Tensor tensor) {
    const std::uint64_t most = detail::most_repeated(file_.data_size(), options_.limits);
    if (tensor.byte_size() > most - again_) throw detail::past(detail::Limit::repeats, most);
    again_ += tensor.byte_size();
    return tensor;
  }

  const safetensors::File& file_;
  const LoadOptions& options_;
  std::vector<bool> met_;
  std::vector<Tensor> known_;
  std::uint64_t again_ = 0;  // Bytes of repeated references.
  std::size_t next_ = 0;     // The position after the last tensor found.
  bool notes_dtypes_ = false;
};

void check_version(std::optional<std::string_view> version) {
  // The first Python releases wrote no version; the schema was the same.
  if (!version || *version == schema::version) return;
  throw Error(
      ErrorCode::unsupported_version, "the schema has an unknown version",
      {.expected = std::string(schema::version),
       .found = "'" + detail::for_message(*version, 40) + "'",
       .advice = "Read it with a newer safestructures, or save it again with an older one"});
}

/// Returns whether the file is a single shard of a sharded save, opened without the index. Its
/// schema describes all shards, so its own content is known only by the tensors' names.
bool is_lone_shard(const safetensors::File& file) {
  return file.files().size() <= 1 && file.metadata(safetensors::save_key).has_value();
}

void verify_checksums(const safetensors::File& file) {
  if (is_lone_shard(file))
    throw Error(ErrorCode::checksum_mismatch,
                "one file of a checkpoint in several has no checksums of its own",
                {.advice = "Open the checkpoint by its .index.json"});
  if (checksums::verify(file)) return;
  throw Error(ErrorCode::checksum_mismatch, "the file has no checksums",
              {.advice = "Save it with SaveOptions::checksums, or load it without "
                         "LoadOptions::verify_checksums"});
}

/// Finds the tensors that the structure does not refer to, except for the dummy tensor.
void find_extra_tensors(Content& content, const safetensors::File& file,
                        const std::vector<bool>& met) {
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (met[i]) continue;
    if (is_dummy(file, i)) {
      content.tensor_count = 0;
      content.tensor_bytes = 0;
    } else {
      content.extra_tensors.emplace_back(file.name(i), file.tensor(i));
    }
  }
}

NamedValues values_of(const safetensors::File& file) {
  return {.count = file.size(),
          .name = [&file](std::size_t index) { return file.name(index); },
          .value =
              [&file](std::size_t index) {
                Value value(file.tensor(index));
                value.set_tensor_name(std::string(file.name(index)));
                return value;
              }};
}

}  // namespace

Content read(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  const safetensors::File file =
      safetensors::File::open(source, {.access = options.access, .limits = options.limits});
  if (options.verify_checksums) verify_checksums(file);
  Content content;
  content.container = file;
  content.tensor_count = file.size();
  content.tensor_bytes = file.data_size();
  content.files = file.files();
  const bool is_part = is_lone_shard(file);
  content.has_checksums = !is_part && checksums::are_in(file);
  const std::optional<std::string_view> text = file.metadata(schema::metadata_key);
  content.has_schema = text.has_value() && !is_part;
  for (const safetensors::MetadataEntry& entry : file.metadata())
    if (!is_own_key(entry.key, text.has_value())) content.metadata.emplace(entry.key, entry.value);
  if (content.has_schema) {
    const std::optional<std::string_view> version = file.metadata(schema::version_key);
    check_version(version);
    content.schema = *text;
    content.description =
        version ? "safestructures " + std::string(*version) : "safestructures, without a version";
    Tensors tensors(file, options);
    content.root = schema::read(*text, tensors, options.limits);
    content.notes_dtypes = tensors.notes_dtypes();
    find_extra_tensors(content, file, tensors.met());
  } else {
    content.description =
        is_part ? "none: one file of a checkpoint in several; open its .index.json for the whole"
                : "none: a plain safetensors file";
    content.root = structure_of_names(values_of(file), options.limits);
  }
  return content;
}

}  // namespace safestructures::inline v0::safestructures_format
