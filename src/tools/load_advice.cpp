#include "tools/load_advice.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>

#include <safestructures/data/type_info.hpp>
#include <safestructures/data/value.hpp>
#include "data/text/printable.hpp"
#include "formats/safetensors/earlier_save.hpp"
#include "platform/os.hpp"

namespace safestructures::inline v0::detail {
namespace {

/// Returns the name of an index in a folder, the first in order; empty if there is none.
std::string index_in(const std::filesystem::path& folder) {
  std::error_code error;
  std::string first;
  if (!std::filesystem::is_directory(folder, error)) return first;
  platform::os::Listing listing(folder, error);
  if (error) return first;
  for (std::string_view name = listing.next(error); !name.empty(); name = listing.next(error))
    if (name.ends_with(".safetensors.index.json") && (first.empty() || name < first)) first = name;
  return first;
}

/// Returns the name of the index beside a file that is called as its shards; empty if there is
/// none.
std::string index_of_shard(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::size_t total = name.rfind("-of-");
  if (total == std::string::npos) return {};
  const std::size_t number = name.substr(0, total).rfind('-');
  if (number == std::string::npos) return {};
  const safetensors::detail::CheckpointNames names(name.substr(0, number));
  std::error_code ignored;
  const bool has_index =
      names.is_shard(name) && std::filesystem::exists(file.parent_path() / names.index(), ignored);
  return has_index ? names.index() : std::string();
}

/// Returns whether a type is a map from names to tensors.
bool is_flat(const TypeInfo& type) {
  return type.kind == TypeKind::dict && type.key != nullptr && type.item != nullptr &&
         type.key->kind == TypeKind::string && type.item->kind == TypeKind::tensor;
}

bool has_levels(const Value& root) {
  return root.is_sequence() ||
         (root.is_mapping() && std::ranges::any_of(root.entries(), [](const Entry& entry) {
            return entry.value.is_sequence() || entry.value.is_mapping();
          }));
}

}  // namespace

std::shared_ptr<const Source> open_file(const std::filesystem::path& path) {
  try {
    return Source::open(path);
  } catch (const Error& error) {
    const std::string index = index_in(path);
    if (index.empty()) throw;
    throw with_advice(error, "Name a file inside it, such as " + for_message(index));
  }
}

std::optional<std::string> advice_on(const Error& error, const std::filesystem::path& file,
                                     const Content& content, const LoadOptions& options) {
  if (error.code() != ErrorCode::missing_field && error.code() != ErrorCode::type_mismatch)
    return std::nullopt;
  if (!content.has_schema) {
    const std::string index = index_of_shard(file);
    if (index.empty()) return std::nullopt;
    return "This is one file of a checkpoint in several: load it by its index, " +
           for_message(index);
  }
  if (options.type != nullptr && is_flat(options.type()) && has_levels(content.root))
    return "Document::state_dict() gives all tensors by their names";
  return std::nullopt;
}

Error with_advice(const Error& error, std::string advice) {
  ErrorDetails details = error.details();
  details.advice = std::move(advice);
  return {error.code(), error.problem(), std::move(details)};
}

}  // namespace safestructures::inline v0::detail
