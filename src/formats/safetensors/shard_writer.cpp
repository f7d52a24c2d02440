#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safetensors/writer.hpp>

#include "formats/safetensors/json_text.hpp"
#include "platform/atomic_file.hpp"

namespace safestructures::safetensors {
namespace {

constexpr std::string_view index_suffix = ".index.json";
constexpr std::string_view suffix = ".safetensors";

// The items of one file.
struct Group {
  std::size_t begin;
  std::size_t end;
};

// `model` of `folder/model.safetensors` and `folder/model.safetensors.index.json`.
std::string stem_of(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  const auto drop = [&](std::string_view end) {
    if (name.size() > end.size() && name.ends_with(end)) name.resize(name.size() - end.size());
  };
  drop(index_suffix);
  drop(suffix);
  return name;
}

// Five digits, as Hugging Face has them, and more where they do not suffice.
std::string number_text(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(5 - std::min<std::size_t>(digits.size(), 5), '0') + digits;
}

std::uint64_t stored_size(const Item& item) {
  try {
    return byte_size(item.dtype, item.tensor->shape());
  } catch (const Error& error) {
    throw error.with_path(detail::for_message(item.name));
  }
}

std::vector<Group> split(std::span<const Item> items, std::uint64_t largest_file) {
  std::vector<Group> groups{{0, 0}};
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::uint64_t more = stored_size(items[i]);
    if (i != groups.back().begin && (size > largest_file || more > largest_file - size)) {
      groups.push_back({i, i});
      size = 0;
    }
    size += more;
    groups.back().end = i + 1;
  }
  return groups;
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  const std::size_t begin = out.size();
  out.resize(begin + detail::escaped_bound(text.size()));
  out.resize(static_cast<std::size_t>(detail::escape(text, out.data() + begin) - out.data()));
  out += '"';
}

struct Place {
  std::string_view tensor;
  std::size_t file;
};

// Indented and sorted, as Hugging Face's own.
std::string index_text(const std::vector<Place>& places, const std::vector<std::string>& files,
                       std::uint64_t total_size) {
  std::string text = "{\n  \"metadata\": {\n    \"total_size\": " + std::to_string(total_size) +
                     "\n  },\n  \"weight_map\": {";
  bool first = true;
  for (const Place& place : places) {
    text += std::exchange(first, false) ? "\n    " : ",\n    ";
    append_string(text, place.tensor);
    text += ": ";
    append_string(text, files[place.file]);
  }
  text += first ? "}\n}\n" : "\n  }\n}\n";
  return text;
}

}  // namespace

WriteReport write_sharded(const std::filesystem::path& path, std::span<const Item> items,
                          const Metadata& metadata, std::uint64_t largest_file,
                          const WriteOptions& options) {
  if (largest_file == 0)
    throw Error(ErrorCode::invalid_argument, "a file of at most 0 bytes holds no tensor");
  const std::vector<Group> groups = split(items, largest_file);
  if (groups.size() > options.limits.shards) {
    throw Error(ErrorCode::limit_exceeded, "too many files for one checkpoint",
                {.expected = "at most " + std::to_string(options.limits.shards),
                 .found = std::to_string(groups.size()),
                 .advice = "Let each file be larger"});
  }
  std::vector<Place> places;
  places.reserve(items.size());
  for (std::size_t file = 0; file < groups.size(); ++file) {
    for (std::size_t i = groups[file].begin; i < groups[file].end; ++i)
      places.push_back({items[i].name, file});
  }
  // Before anything is written: names need only be unique within a file for that file's own check.
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.tensor < b.tensor; });
  const auto twice = std::adjacent_find(
      places.begin(), places.end(),
      [](const Place& a, const Place& b) { return a.tensor == b.tensor; });
  if (twice != places.end()) {
    throw Error(ErrorCode::duplicate_name, "two tensors have the same name",
                {.path = detail::for_message(twice->tensor),
                 .advice = "Give each tensor a name of its own"});
  }

  const std::string stem = stem_of(path);
  std::vector<std::string> files;
  WriteReport report;
  std::uint64_t total_size = 0;
  for (const Group& group : groups) {
    files.push_back(stem + "-" + number_text(files.size() + 1) + "-of-" +
                    number_text(groups.size()) + std::string(suffix));
    const std::span<const Item> part = items.subspan(group.begin, group.end - group.begin);
    const WriteReport written =
        write_file(path.parent_path() / files.back(), part, metadata, options);
    report.bytes += written.bytes;
    for (const Conversion& conversion : written.conversions)
      report.conversions.push_back({group.begin + conversion.item, conversion.report});
    for (const Item& item : part) total_size += stored_size(item);
  }
  const std::string text = index_text(places, files, total_size);
  const std::filesystem::path index_path =
      path.parent_path() / (stem + std::string(suffix) + std::string(index_suffix));
  platform::AtomicFile index(index_path, {.size_hint = text.size(), .durable = options.durable});
  index.write(std::as_bytes(std::span(text)));
  index.commit();
  report.bytes += text.size();
  return report;
}

}  // namespace safestructures::safetensors
