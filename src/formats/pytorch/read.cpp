#include "formats/pytorch/read.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "data/text/nearest_name.hpp"
#include "data/text/printable.hpp"
#include "formats/binary/little_endian.hpp"
#include "formats/binary/window.hpp"
#include "formats/pytorch/fit.hpp"
#include "formats/pytorch/pickle.hpp"
#include "formats/pytorch/storages.hpp"
#include "formats/pytorch/structure.hpp"
#include "formats/pytorch/tensors.hpp"
#include "formats/refuse_checksums.hpp"
#include "formats/stored_tensor.hpp"
#include "formats/zip/read.hpp"

namespace safestructures::inline v0::pytorch {
namespace {

constexpr std::string_view zip_mark = "PK\x03\x04";
constexpr std::string_view pickle_name = "data.pkl";
// A pickle of 0x1950a86a20f9469cfc6c, with which files of before PyTorch 1.6 begin.
constexpr std::string_view old_mark = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
constexpr std::uint64_t old_version = 1001;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[noreturn]] void fail_byte_order(std::string found) {
  throw Error(ErrorCode::invalid_header, "the file is in the byte order of another machine",
              {.expected = "little",
               .found = std::move(found),
               .advice = "Load it with torch.load on this machine and save it again"});
}

/// Returns the bytes of a part of the file, which PyTorch stores as they are.
Extent extent_of(const zip::Entry& entry) {
  if (entry.is_deflated)
    throw Error(ErrorCode::invalid_header, "a part of the file is compressed",
                {.path = entry.name,
                 .expected = "parts as PyTorch stores them",
                 .advice = "Load it with torch.load and save it again"});
  return {entry.begin, entry.size};
}

/// Returns the source, in memory or mapped as a whole unless its tensors are to be read later.
std::shared_ptr<const Source> opened(const std::shared_ptr<const Source>& source, Access access) {
  if (access != Access::map) return detail::brought(source, access);
  const SharedBytes all = source->view(0, static_cast<std::size_t>(source->size()));
  return Source::of(all.bytes, all.owner);
}

/// The parts of a file.
struct Parts {
  Pickle pickle;
  std::uint64_t pickle_size = 0;
  Storages storages;
  Archive archive;  ///< Empty for an older file.
};

Parts read_archive(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  Parts parts;
  parts.archive.source = source;
  parts.archive.entries = zip::read_directory(*source, options.limits);
  const std::vector<zip::Entry>& entries = parts.archive.entries;
  // All names begin with that of the archive: `archive/data.pkl`, `archive/data/0`.
  const auto has_name = [](const zip::Entry& entry, std::string_view name) {
    return entry.name.ends_with(name) &&
           entry.name.find('/') + 1 == entry.name.size() - name.size();
  };
  const auto find = [&](std::string_view name) {
    const auto found = std::ranges::find_if(
        entries, [&](const zip::Entry& entry) { return has_name(entry, name); });
    return found == entries.end() ? nullptr : &*found;
  };
  const zip::Entry* const pickle = find(pickle_name);
  if (pickle == nullptr) {
    std::vector<std::string_view> names;
    names.reserve(entries.size());
    for (const zip::Entry& entry : entries) names.push_back(entry.name);
    throw Error(ErrorCode::invalid_header, "the archive is not a file of PyTorch",
                {.expected = "a part 'archive/data.pkl'",
                 .found = names.empty() ? "no parts" : detail::list_names(names)});
  }
  if (options.verify_checksums) parts.archive.verify();
  if (const zip::Entry* const order = find("byteorder")) {
    const Extent extent = extent_of(*order);
    const SharedBytes bytes = source->view(
        extent.begin, static_cast<std::size_t>(std::min<std::uint64_t>(extent.size, 20)));
    if (as_text(bytes.bytes) != "little")
      fail_byte_order(detail::for_message(as_text(bytes.bytes)));
  }

  const std::string folder =
      pickle->name.substr(0, pickle->name.size() - pickle_name.size()) + "data/";
  for (const zip::Entry& entry : entries)
    if (entry.name.starts_with(folder))
      parts.storages.emplace(entry.name.substr(folder.size()), extent_of(entry));
  binary::Window window(source, false);
  const auto [begin, size] = extent_of(*pickle);
  window.pass(begin);
  parts.pickle = read_pickle(window, begin + size, options.limits);
  parts.pickle_size = size;
  return parts;
}

/// Checks the part of an older file that says which machine wrote it.
void check_system(const Pickle& system) {
  const Object& root = system.objects[system.root];
  if (root.kind != ObjectKind::dict) return;
  for (std::size_t i = 0; i + 1 < root.parts.size(); i += 2) {
    const Value& key = system.objects[root.parts[i]].value;
    const Value& value = system.objects[root.parts[i + 1]].value;
    if (key.kind() == Kind::string && key.as_string() == "little_endian" &&
        value.kind() == Kind::boolean && !value.as_bool())
      fail_byte_order("big");
  }
}

/// Reads a file of before 1.6: pickles of a mark, a version, a system, the structure and the keys
/// of its storages, and each of these in turn behind its number of elements.
Parts read_old(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  detail::refuse_checksums(options);
  binary::Window window(source, false);
  const auto next = [&] { return read_pickle(window, source->size(), options.limits); };
  static_cast<void>(next());
  const Pickle version = next();
  if (const std::uint64_t found = count_at(version, version.root, "the version of the file");
      found != old_version)
    throw Error(ErrorCode::unsupported_version, "the file has an unknown version",
                {.expected = std::to_string(old_version), .found = std::to_string(found)});
  check_system(next());
  Parts parts;
  const std::uint64_t begin = window.position();
  parts.pickle = next();
  parts.pickle_size = window.position() - begin;
  std::unordered_map<std::string, std::uint64_t, detail::KeyedHash, std::equal_to<>> widths;
  for (Id id = 0; id < parts.pickle.objects.size(); ++id) {
    if (parts.pickle.objects[id].kind != ObjectKind::persistent) continue;
    const StorageId storage = storage_id(parts.pickle, id);
    widths.emplace(storage.key, storage.element.width());
  }
  const Pickle keys = next();
  for (const Id key : object_at(keys, keys.root, ObjectKind::list, "the keys of storages").parts) {
    const std::string& name = text_at(keys, key, "the key of a storage");
    const std::uint64_t count = binary::little_endian(window.take(sizeof(std::uint64_t)));
    const auto width = widths.find(name);
    if (width == widths.end())
      throw Error(ErrorCode::invalid_schema, "no tensor has a storage of that key",
                  {.found = detail::for_message(name)});
    if (count > window.left() / width->second)
      throw Error(ErrorCode::truncated, "the file ends inside a storage",
                  {.expected = detail::counted(count, "element"),
                   .found = detail::counted(window.left(), "byte"),
                   .advice = "The file is not complete: copy or download it again",
                   .offset = window.position()});
    const Extent extent{window.position(), count * width->second};
    parts.storages.emplace(name, extent);
    window.pass(extent.size);
  }
  return parts;
}

}  // namespace

void Archive::verify() const {
  try {
    for (const zip::Entry& entry : entries) static_cast<void>(zip::read_entry(*source, entry));
  } catch (const Error& error) {
    throw error.with_file(file);
  }
}

Content read_as_saved(const std::shared_ptr<const Source>& given, const LoadOptions& options) {
  const std::shared_ptr<const Source> source = opened(given, options.access);
  std::vector<std::byte> head(
      static_cast<std::size_t>(std::min<std::uint64_t>(source->size(), old_mark.size())));
  source->read(0, head);
  const bool is_old = as_text(head) == old_mark;
  if (!is_old && !as_text(head).starts_with(zip_mark))
    throw Error(ErrorCode::invalid_header, "the file is not one of torch.save",
                {.expected = "a ZIP archive, or the mark of PyTorch before 1.6", .offset = 0});
  Parts parts = is_old ? read_old(source, options) : read_archive(source, options);
  Tensors tensors(source, parts.storages, options.limits);
  Content content;
  content.root = StructureMaker(parts.pickle, tensors, parts.pickle_size, options.limits).make();
  content.description = "PyTorch";
  content.notes_dtypes = false;
  content.has_checksums = !is_old;
  if (!is_old) {
    parts.archive.file = given->name();
    content.container = Archives{std::move(parts.archive)};
  }
  content.tensor_count = tensors.count();
  content.tensor_bytes = tensors.bytes();
  if (!given->name().empty()) content.files.emplace_back(given->name());
  return content;
}

void derive_structure(Content& content, const LoadOptions& options) {
  if (is_state_dict(content.root)) {
    content.has_schema = false;
    content.description = "none: a state dict of PyTorch";
    content.root = structure_of(content.root, options.limits);
  } else if (options.type != nullptr) {
    static_cast<void>(fit(content.root, options.type(), options.limits));
  }
}

bool is_of_pytorch(std::span<const std::byte> head) {
  const std::string_view text = as_text(head);
  if (text.starts_with(old_mark)) return true;
  constexpr std::size_t name_begin = 30;
  if (!text.starts_with(zip_mark) || text.size() < name_begin) return false;
  const auto size = static_cast<std::size_t>(binary::little_endian(head.subspan(26, 2)));
  const std::string_view name = text.substr(name_begin, size);
  return name.size() == size && name.ends_with(pickle_name) &&
         name.find('/') + 1 == size - pickle_name.size();
}

Content read(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  Content content = read_as_saved(source, options);
  derive_structure(content, options);
  return content;
}

}  // namespace safestructures::inline v0::pytorch
