#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <simdjson.h>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/formats/safetensors/writer.hpp>
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "data/text/json_text.hpp"
#include "data/text/printable.hpp"
#include "formats/safetensors/json_walk.hpp"
#include "formats/safetensors/parts.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::safetensors::detail {

using safestructures::detail::for_message;
using safestructures::detail::in_quotes;
using safestructures::detail::Limit;
using safestructures::detail::past;
namespace {

constexpr std::string_view what = "the index";

// An index: {"metadata": ..., "weight_map": {tensor: file, ...}}.
class IndexReader {
 public:
  IndexReader(Text text, const Limits& limits)
      : text_(std::move(text)), limits_(limits), walk_(text_.view(), what, 0) {}

  struct Entry {
    std::string_view tensor;
    std::uint32_t file;
  };

  void read();
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] const std::vector<std::string>& files() const noexcept { return files_; }
  /// Returns the identity of the save that the index belongs to, if it names one.
  [[nodiscard]] std::optional<std::string_view> save() const noexcept { return save_; }

 private:
  void read_metadata(simdjson::ondemand::value& value);
  void read_map(simdjson::ondemand::value& value, const char* key);
  std::string_view read_string(const char* begin);
  std::uint32_t file_number(std::string_view name, std::string_view tensor);
  void check_file_name(std::string_view name, std::string_view tensor) const;
  void sort_files();

  Text text_;
  const Limits& limits_;
  JsonWalk walk_;
  std::unique_ptr<char[]> unescaped_;
  std::size_t unescaped_size_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::string> files_;
  std::optional<std::string_view> save_;
  std::map<std::string_view, std::uint32_t> numbers_;
};

std::string_view IndexReader::read_string(const char* begin) {
  const char* const end = text_.data.get() + text_.size;
  const char* const special = json::find_special(begin, end);
  if (special != end && *special == '"') return {begin, static_cast<std::size_t>(special - begin)};
  if (!unescaped_) unescaped_.reset(new char[text_.size + 8]);
  char* const target = unescaped_.get() + unescaped_size_;
  const json::Unescaped result = json::unescape(begin, end, target);
  if (result.fault != json::StringFault::none) walk_.fail_string(result, {});
  const auto size = static_cast<std::size_t>(result.target_end - target);
  unescaped_size_ += size;
  return {target, size};
}

void IndexReader::read() {
  const std::string_view text = text_.view();
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') {
    throw Error(
        ErrorCode::invalid_header, "the index is not a JSON object",
        {.expected = "'{' as its first byte",
         .found = first == std::string_view::npos ? "nothing" : JsonWalk::show_byte(&text[first])});
  }
  simdjson::ondemand::object object = walk_.start();
  bool has_map = false;
  for (auto item : object) {
    auto field = walk_.take<simdjson::ondemand::field>(std::move(item));
    const char* const key = field.key().raw();
    const std::string_view name = read_string(key);
    if (name == "metadata") {
      read_metadata(field.value());
      continue;
    }
    if (name != "weight_map") {
      walk_.check_value(field.value(), 0, limits_.depth);
      continue;
    }
    if (std::exchange(has_map, true)) {
      throw Error(ErrorCode::duplicate_name, "the index holds \"weight_map\" twice",
                  {.offset = walk_.offset(key - 1)});
    }
    read_map(field.value(), key);
  }
  walk_.finish();
  if (!has_map) throw Error(ErrorCode::invalid_header, "the index has no \"weight_map\"");
  sort_files();
}

// Only the identity of the save matters; the rest just has to be JSON.
void IndexReader::read_metadata(simdjson::ondemand::value& value) {
  using simdjson::ondemand::json_type;
  if (walk_.take<json_type>(value.type()) != json_type::object)
    return walk_.check_value(value, 0, limits_.depth);
  for (auto item : walk_.take<simdjson::ondemand::object>(value.get_object())) {
    auto field = walk_.take<simdjson::ondemand::field>(std::move(item));
    const bool is_save = read_string(field.key().raw()) == save_key;
    simdjson::ondemand::raw_json_string text;
    if (is_save && !field.value().get_raw_json_string().get(text)) save_ = read_string(text.raw());
    else walk_.check_value(field.value(), 1, limits_.depth);
  }
}

void IndexReader::read_map(simdjson::ondemand::value& value, const char* key) {
  const auto fail = [&](const char* place_key, std::string problem, ErrorDetails details) {
    walk_.check_syntax();
    const char* const place = walk_.value_behind(place_key);
    details.found = walk_.show(place);
    details.offset = walk_.offset(place);
    throw Error(ErrorCode::invalid_header, std::move(problem), std::move(details));
  };
  simdjson::ondemand::object map;
  if (value.get_object().get(map))
    fail(key, "\"weight_map\" is not an object",
         {.expected = "an object of file names by tensor name"});
  // The shortest entry: "":"x",
  const std::size_t most = text_.size / 7 + 1;
  platform::reserve_huge(entries_, most);
  for (auto item : map) {
    auto field = walk_.take<simdjson::ondemand::field>(std::move(item));
    const char* const tensor_key = field.key().raw();
    const std::string_view tensor = read_string(tensor_key);
    simdjson::ondemand::raw_json_string file;
    if (field.value().get_raw_json_string().get(file)) {
      fail(tensor_key, "the tensor's place in the index is not a string",
           {.path = for_message(tensor), .expected = "the name of a file"});
    }
    if (entries_.size() >= limits_.tensors) {
      throw past(Limit::tensors, limits_.tensors);
    }
    entries_.push_back({tensor, file_number(read_string(file.raw()), tensor)});
  }
}

std::uint32_t IndexReader::file_number(std::string_view name, std::string_view tensor) {
  // Neighbouring tensors are mostly in the same file.
  if (!entries_.empty() && files_[entries_.back().file] == name) return entries_.back().file;
  if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
  check_file_name(name, tensor);
  if (files_.size() >= limits_.shards) {
    throw past(Limit::shards, limits_.shards);
  }
  const auto number = static_cast<std::uint32_t>(files_.size());
  files_.emplace_back(name);
  numbers_.emplace(name, number);
  return number;
}

void IndexReader::check_file_name(std::string_view name, std::string_view tensor) const {
  const bool plain = !name.empty() && name != "." && name != ".." &&
                     name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
  if (plain) return;
  throw Error(ErrorCode::invalid_header, "the index has an invalid file name",
              {.path = for_message(tensor),
               .expected = "a file name without folders",
               .found = in_quotes(name)});
}

// Sorts files by name, whatever the order of the index, so that equal checkpoints read alike.
void IndexReader::sort_files() {
  std::vector<std::uint32_t> order(files_.size());
  std::vector<std::string> sorted;
  sorted.reserve(files_.size());
  for (const auto& [name, number] : numbers_) {
    order[number] = static_cast<std::uint32_t>(sorted.size());
    sorted.emplace_back(name);
  }
  files_ = std::move(sorted);
  for (Entry& entry : entries_) entry.file = order[entry.file];
}

Text read_text(const Source& file, const Limits& limits) {
  const std::uint64_t most = std::min(limits.header_bytes, largest_header);
  if (file.size() > most) {
    throw past(Limit::header_bytes, most, "the index is too large",
               {.found = std::to_string(file.size())});
  }
  const auto size = static_cast<std::size_t>(file.size());
  const std::shared_ptr<std::byte> buffer = platform::allocate_buffer(size + text_padding);
  file.read(0, {buffer.get(), size});
  std::fill_n(buffer.get() + size, text_padding, std::byte{0});
  // Editors end a file with a line break, but the end of a text is searched for only among spaces.
  auto* const text = reinterpret_cast<char*>(buffer.get());
  for (std::size_t i = size; i-- > 0 && (text[i] == '\n' || text[i] == '\r' || text[i] == '\t');)
    text[i] = ' ';
  return {std::shared_ptr<const char>(buffer, text), size};
}

// Names a tensor that the index lacks: files with more tensors than the index has entries hold one.
[[noreturn]] void fail_unnamed(const IndexReader& map, const Checkpoint& checkpoint) {
  std::unordered_set<std::string_view, safestructures::detail::KeyedHash> named;
  for (const IndexReader::Entry& entry : map.entries()) named.insert(entry.tensor);
  std::size_t missed = 0;
  while (named.contains(name_of_tensor(checkpoint.parts, missed))) ++missed;
  throw Error(
      ErrorCode::missing_tensor, "a file holds a tensor that the index does not name",
      {.path = for_message(name_of_tensor(checkpoint.parts, missed)),
       .found = "it in " + in_quotes(part_of(checkpoint.parts, missed).path.filename().string()),
       .advice = "Index and files come from different saves or downloads"});
}

// Checks that every tensor of the index is in its file. Since there are no more tensors than
// entries, meeting each tensor once means that the index has every tensor.
void check_map(const IndexReader& map, const Checkpoint& checkpoint) {
  const auto name_at = [&](std::size_t i) { return name_of_tensor(checkpoint.parts, i); };
  const Part& last = checkpoint.parts.back();
  const std::size_t count = last.first + last.table.size();
  std::vector<bool> met(count);
  // Writers sort both index and files by name, so the next tensor of the file is mostly the right
  // one. Looking at it first saves a lookup in the index of names, which waits for memory.
  std::vector<std::size_t> next(checkpoint.parts.size());
  const auto find = [&](const IndexReader::Entry& entry) -> std::optional<std::size_t> {
    const Part& part = checkpoint.parts[entry.file];
    std::size_t& guess = next[entry.file];
    if (guess < part.table.size() && part.table.name(guess) == entry.tensor)
      return part.first + guess++;
    const std::optional<std::size_t> index =
        checkpoint.index.find(entry.tensor, name_at, part.first + guess);
    if (index && &part_of(checkpoint.parts, *index) == &part) guess = *index - part.first + 1;
    return index;
  };
  for (const IndexReader::Entry& entry : map.entries()) {
    const std::optional<std::size_t> index = find(entry);
    const Part* const holder = index ? &part_of(checkpoint.parts, *index) : nullptr;
    if (holder != &checkpoint.parts[entry.file]) {
      throw Error(
          ErrorCode::missing_tensor, "a file lacks a tensor that the index places there",
          {.path = for_message(entry.tensor),
           .expected = "it in " + in_quotes(map.files()[entry.file]),
           .found = holder == nullptr ? "it in no file"
                                      : "it in " + in_quotes(holder->path.filename().string()),
           .advice = "Index and files come from different saves or downloads"});
    }
    if (met[*index]) {
      throw Error(ErrorCode::duplicate_name, "the index names a tensor twice",
                  {.path = for_message(entry.tensor)});
    }
    met[*index] = true;
  }
}

// Checks that all files belong to the same save, as does the index if it names one.
void check_save(const IndexReader& map, const Checkpoint& checkpoint) {
  const auto save_of = [](const Part& part) {
    return find_metadata(part.table.metadata(), save_key);
  };
  const auto text = [](std::optional<std::string_view> save) {
    return save ? "save " + for_message(*save) : std::string("a file that names no save");
  };
  const auto expected = map.save() ? map.save() : save_of(checkpoint.parts.front());
  for (const Part& part : checkpoint.parts) {
    if (save_of(part) == expected) continue;
    throw Error(ErrorCode::mixed_saves, "the files of a checkpoint come from different saves",
                {.file = part.path.string(),
                 .expected = text(expected),
                 .found = text(save_of(part)),
                 .advice = "Take all files, and the index, from one save"});
  }
}

}  // namespace

IndexContent read_index(const Source& source, const Limits& limits) {
  IndexReader map(read_text(source, limits), limits);
  map.read();
  IndexContent content{map.files(), map.save().has_value(), {}};
  content.tensors.reserve(map.entries().size());
  for (const auto& [tensor, file] : map.entries()) content.tensors.emplace_back(tensor, file);
  return content;
}

Checkpoint open_checkpoint(const std::shared_ptr<const Source>& source,
                           const OpenOptions& options) {
  try {
    IndexReader map(read_text(*source, options.limits), options.limits);
    map.read();
    if (map.files().empty()) {
      throw Error(ErrorCode::invalid_header, "the index names no file",
                  {.expected = "at least one entry in \"weight_map\""});
    }
    const std::size_t most = map.entries().size();
    Checkpoint checkpoint{{}, NameIndex(most)};
    checkpoint.parts.reserve(map.files().size());
    for (const std::string& file : map.files())
      if (!add_part(checkpoint, open_part(source->sibling(file), options), most))
        fail_unnamed(map, checkpoint);
    check_map(map, checkpoint);
    check_save(map, checkpoint);
    return checkpoint;
  } catch (const Error& error) {
    throw error.with_file(source->name());
  }
}

}  // namespace safestructures::inline v0::safetensors::detail
