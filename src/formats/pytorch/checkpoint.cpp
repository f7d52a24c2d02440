#include <any>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "data/text/printable.hpp"
#include "formats/pytorch/fit.hpp"
#include "formats/pytorch/read.hpp"
#include "formats/safetensors/parts.hpp"

namespace safestructures::inline v0::pytorch {
namespace {

using safetensors::detail::IndexContent;

constexpr std::string_view mixed = "Index and files come from different saves or downloads";

/// Puts the tensors of the files together, each of which the index must name.
class Joiner {
 public:
  explicit Joiner(const IndexContent& index) : index_(index), is_met_(index.tensors.size()) {
    for (std::size_t i = 0; i < index.tensors.size(); ++i)
      if (!places_.emplace(index.tensors[i].first, i).second)
        throw Error(ErrorCode::duplicate_name, "the index names a tensor twice",
                    {.path = detail::for_message(index.tensors[i].first)});
  }

  void add(std::size_t file, const Value& state_dict) {
    for (const Entry& entry : state_dict.entries()) {
      const std::string& name = entry.key.as_string();
      const auto place = places_.find(name);
      if (place == places_.end())
        throw Error(ErrorCode::missing_tensor, "a file holds a tensor that the index does not name",
                    {.path = detail::for_message(name),
                     .found = "it in " + detail::in_quotes(index_.files[file]),
                     .advice = std::string(mixed)});
      if (index_.tensors[place->second].second != file) fail_place(place->second, file);
      is_met_[place->second] = true;
      all_.insert(name, entry.value);
    }
  }

  [[nodiscard]] Value finish() {
    for (std::size_t i = 0; i < is_met_.size(); ++i)
      if (!is_met_[i]) fail_place(i, index_.files.size());
    return std::move(all_);
  }

 private:
  /// \param found the file that holds the tensor, or the number of files
  [[noreturn]] void fail_place(std::size_t tensor, std::size_t found) const {
    const auto& [name, file] = index_.tensors[tensor];
    throw Error(
        ErrorCode::missing_tensor, "a file lacks a tensor that the index places there",
        {.path = detail::for_message(name),
         .expected = "it in " + detail::in_quotes(index_.files[file]),
         .found = found == index_.files.size() ? "it in no file"
                                               : "it in " + detail::in_quotes(index_.files[found]),
         .advice = std::string(mixed)});
  }

  const IndexContent& index_;
  std::unordered_map<std::string, std::size_t, detail::KeyedHash, std::equal_to<>> places_;
  std::vector<bool> is_met_;
  Value all_ = Value::dict();
};

/// Reads one of the files, which must be a state dict.
Content read_part(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  try {
    Content part = read_as_saved(source, options);
    if (!is_state_dict(part.root))
      throw Error(ErrorCode::type_mismatch, "a file of the checkpoint is not a state dict",
                  {.expected = "a dict of tensors by name", .found = describe(part.root)});
    return part;
  } catch (const Error& error) {
    throw error.with_file(source->name());
  }
}

}  // namespace

Content read_checkpoint(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  const IndexContent index = safetensors::detail::read_index(*source, options.limits);
  if (index.files.empty())
    throw Error(ErrorCode::invalid_header, "the index names no file",
                {.expected = "at least one entry in \"weight_map\""});
  Joiner joiner(index);
  Content content;
  Archives archives;
  content.has_checksums = true;
  content.notes_dtypes = false;
  if (!source->name().empty()) content.files.emplace_back(source->name());
  for (std::size_t i = 0; i < index.files.size(); ++i) {
    Content part = read_part(source->sibling(index.files[i]), options);
    joiner.add(i, part.root);
    content.has_checksums &= part.has_checksums;
    if (auto* const archive = std::any_cast<Archives>(&part.container))
      archives.push_back(std::move(archive->front()));
    content.tensor_count += part.tensor_count;
    content.tensor_bytes += part.tensor_bytes;
    content.files.push_back(part.files.front());
  }
  if (content.has_checksums) content.container = std::move(archives);
  content.root = joiner.finish();
  derive_structure(content, options);
  return content;
}

}  // namespace safestructures::inline v0::pytorch
