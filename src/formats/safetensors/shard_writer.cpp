#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safetensors/writer.hpp>
#include "data/limit.hpp"
#include "data/text/json_text.hpp"
#include "data/text/printable.hpp"
#include "data/text/utf8.hpp"
#include "formats/safetensors/earlier_save.hpp"
#include "formats/safetensors/name_order.hpp"
#include "formats/safetensors/save_identity.hpp"
#include "formats/safetensors/table.hpp"

namespace safestructures::inline v0::safetensors {

using safestructures::detail::for_message;
using safestructures::detail::Limit;
using safestructures::detail::past;
namespace {

// The items of one file.
struct Group {
  std::size_t begin;
  std::size_t end;
};

std::uint64_t stored_size(const Item& item) {
  try {
    return byte_size(item.dtype, item.tensor->shape());
  } catch (const Error& error) {
    throw error.with_path(for_message(item.name));
  }
}

std::vector<Group> split(std::span<const Item> items, std::uint64_t shard_size) {
  std::vector<Group> groups{{0, 0}};
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::uint64_t more = stored_size(items[i]);
    if (i != groups.back().begin && (size > shard_size || more > shard_size - size)) {
      groups.push_back({i, i});
      size = 0;
    }
    size += more;
    groups.back().end = i + 1;
  }
  return groups;
}

// Returns whether what fits into one file is one file: not if the index is asked for.
bool is_single(const std::string& name) {
  return !name.empty() && name != detail::CheckpointNames(name).index();
}

// An index is JSON, and can only name files in its own folder.
void require_nameable(const std::string& stem) {
  const bool is_text = !safestructures::detail::find_invalid_utf8(stem);
  if (is_text && stem.find('\\') == std::string::npos) return;
  throw Error(ErrorCode::invalid_argument, "an index cannot name the files of this checkpoint",
              {.expected = "a file name of UTF-8, without a backslash",
               .found = "'" + safestructures::detail::printable(stem) + "'",
               .advice = "Choose another name"});
}

// An index names files by their tensors. Of a checkpoint without any it would name none, and what
// names none is refused when it is read.
void require_tensors(std::span<const Item> items) {
  if (!items.empty()) return;
  throw Error(ErrorCode::invalid_argument, "an index cannot name a file without tensors",
              {.expected = "at least one tensor",
               .found = "none",
               .advice = "Choose a name that does not end in .index.json"});
}

// Returns the rest of the index after its metadata, indented and sorted like those of Hugging Face.
std::string map_text(std::span<const Item> items, std::span<const std::uint32_t> order,
                     std::span<const std::uint32_t> file_of,
                     const std::vector<std::string>& files) {
  std::string text = "  \"weight_map\": {";
  bool first = true;
  for (const std::uint32_t index : order) {
    text += std::exchange(first, false) ? "\n    " : ",\n    ";
    json::append_escaped(text, items[index].name);
    text += ": ";
    json::append_escaped(text, files[file_of[index]]);
  }
  text += "\n  }\n}\n";
  return text;
}

}  // namespace

SaveReport write_sharded(Sink& sink, std::span<const Item> items, const Metadata& metadata,
                         std::uint64_t shard_size, const WriteOptions& options) {
  if (shard_size == 0)
    throw Error(ErrorCode::invalid_argument, "a file of at most 0 bytes holds no tensor");
  const std::vector<Group> groups = split(items, shard_size);
  if (groups.size() == 1 && is_single(sink.file_name())) {
    Metadata plain = metadata;
    plain.erase(std::string(save_key));
    std::vector<std::string> removed = detail::replace_shards(sink, options.limits);
    SaveReport report = write(sink, items, plain, options);
    report.removed = std::move(removed);
    return report;
  }
  if (groups.size() > options.limits.shards) {
    throw past(Limit::shards, options.limits.shards, "too many files for one checkpoint",
               {.found = std::to_string(groups.size()), .advice = "Let each file be larger"});
  }
  if (items.size() > detail::NameIndex::largest || items.size() > options.limits.tensors) {
    throw past(Limit::tensors, options.limits.tensors, {.found = std::to_string(items.size())});
  }
  // Done before anything is written: the check of each file sees only the names in that file.
  const std::vector<std::uint32_t> order = detail::order_by_name(
      items.size(), [&](std::size_t i) { return items[i].name; },
      [](std::size_t) { return std::uint32_t{0}; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (items[order[i]].name == items[order[i - 1]].name) {
      throw Error(ErrorCode::duplicate_name, "two tensors have the same name",
                  {.path = for_message(items[order[i]].name),
                   .advice = "Give each tensor a name of its own"});
    }
  }

  const detail::CheckpointNames names(sink.file_name());
  require_nameable(names.stem());
  if (!sink.file_name().empty()) require_tensors(items);
  std::vector<std::string> files;
  std::vector<std::uint32_t> file_of;
  file_of.reserve(items.size());
  std::uint64_t total_size = 0;
  for (const Group& group : groups) {
    file_of.insert(file_of.end(), group.end - group.begin,
                   static_cast<std::uint32_t>(files.size()));
    files.push_back(names.shard(files.size() + 1, groups.size()));
    for (std::size_t i = group.begin; i < group.end; ++i) total_size += stored_size(items[i]);
  }
  const std::string map = map_text(items, order, file_of, files);
  Metadata of_each = metadata;
  of_each.erase(std::string(save_key));
  const std::string identity = detail::save_identity(map, of_each, items);
  of_each.emplace(save_key, identity);

  SaveReport report;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::span<const Item> part =
        items.subspan(groups[i].begin, groups[i].end - groups[i].begin);
    SaveReport written = write(sink.sibling(files[i]), part, of_each, options);
    report.bytes += written.bytes;
    std::ranges::move(written.conversions, std::back_inserter(report.conversions));
  }
  const std::string text = "{\n  \"metadata\": {\n    \"" + std::string(save_key) + "\": \"" +
                           identity + "\",\n    \"total_size\": " + std::to_string(total_size) +
                           "\n  },\n" + map;
  Sink& index = sink.sibling(names.index());
  index.expect(text.size());
  index.write_copied(std::as_bytes(std::span(text)));
  report.bytes += text.size();
  report.removed = detail::replace_all_but(sink, files, options.limits);
  return report;
}

SaveReport write_sharded(const std::filesystem::path& path, std::span<const Item> items,
                         const Metadata& metadata, std::uint64_t shard_size,
                         const WriteOptions& options) {
  try {
    SaveReport report;
    safestructures::write_file(
        path,
        [&](Sink& sink) { report = write_sharded(sink, items, metadata, shard_size, options); },
        options.durable);
    return report;
  } catch (const Error& error) {
    throw error.with_file(path.string());
  }
}

}  // namespace safestructures::inline v0::safetensors
