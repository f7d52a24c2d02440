#include "formats/safetensors/earlier_save.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include "formats/safetensors/parts.hpp"

namespace safestructures::inline v0::safetensors::detail {
namespace {

constexpr std::string_view index_suffix = ".index.json";
constexpr std::string_view suffix = ".safetensors";
constexpr std::size_t least_digits = 5;  // As Hugging Face does, and more if they do not suffice.

std::string number_text(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(least_digits - std::min(digits.size(), least_digits), '0') + digits;
}

bool is_number_text(std::string_view text) {
  return text.size() >= least_digits &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns what the index at the place of the sink's own names, or null if there is none that could
/// be loaded.
std::optional<IndexContent> earlier_index(const Sink& sink, const CheckpointNames& names,
                                          const Limits& limits) {
  const std::filesystem::path path = sink.path();
  if (path.empty()) return std::nullopt;
  const std::filesystem::path index = path.parent_path() / names.index();
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(index, ignored)) return std::nullopt;
  try {
    return read_index(*Source::open(index), limits);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Has the sink remove a file, if there is one.
void replace(Sink& sink, const std::string& name, std::vector<std::string>& replaced) {
  const std::filesystem::path path = sink.path();
  std::error_code ignored;
  if (path.empty() || !std::filesystem::is_regular_file(path.parent_path() / name, ignored)) return;
  sink.replaces(name);
  replaced.push_back(name);
}

}  // namespace

CheckpointNames::CheckpointNames(std::string name) : stem_(std::move(name)) {
  const auto drop = [&](std::string_view end) {
    if (stem_.size() > end.size() && stem_.ends_with(end)) stem_.resize(stem_.size() - end.size());
  };
  drop(index_suffix);
  drop(suffix);
}

std::string CheckpointNames::index() const {
  return stem_ + std::string(suffix) + std::string(index_suffix);
}

std::string CheckpointNames::shard(std::size_t number, std::size_t count) const {
  return stem_ + "-" + number_text(number) + "-of-" + number_text(count) + std::string(suffix);
}

bool CheckpointNames::is_shard(std::string_view name) const {
  constexpr std::string_view between = "-of-";
  if (!name.starts_with(stem_ + "-") || !name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  if (name.size() <= stem_.size()) return false;
  name.remove_prefix(stem_.size() + 1);
  const std::size_t middle = name.find(between);
  return middle != std::string_view::npos && is_number_text(name.substr(0, middle)) &&
         is_number_text(name.substr(middle + between.size()));
}

std::vector<std::string> replace_shards(Sink& sink, const Limits& limits) {
  const std::string name = sink.file_name();
  // `model` may well stand beside the files of another `model.safetensors`.
  if (!name.ends_with(suffix)) return {};
  const CheckpointNames names(name);
  const auto earlier = earlier_index(sink, names, limits);
  // What another program wrote, or somebody downloaded, is no earlier save.
  if (!earlier || !earlier->has_save) return {};
  std::vector<std::string> replaced;
  replace(sink, names.index(), replaced);
  for (const std::string& file : earlier->files)
    if (names.is_shard(file)) replace(sink, file, replaced);
  return replaced;
}

std::vector<std::string> replace_all_but(Sink& sink, std::span<const std::string> files,
                                         const Limits& limits) {
  const std::string name = sink.file_name();
  const CheckpointNames names(name);
  std::vector<std::string> replaced;
  if (name != names.index()) replace(sink, name, replaced);
  const auto earlier = earlier_index(sink, names, limits);
  if (!earlier) return replaced;
  for (const std::string& file : earlier->files)
    if (names.is_shard(file) && std::ranges::find(files, file) == files.end())
      replace(sink, file, replaced);
  return replaced;
}

}  // namespace safestructures::inline v0::safetensors::detail
