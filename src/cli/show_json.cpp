#include "cli/show_json.hpp"

#include <any>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <safestructures/data/walk.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors/reader.hpp>
#include "data/text/json_text.hpp"

namespace safestructures::cli {
namespace {

void print_metadata(std::ostream& out, const Metadata& metadata) {
  std::string_view separator;
  for (const auto& [key, value] : metadata) {
    out << separator << json::quote(key) << ": " << json::quote(value);
    separator = ", ";
  }
}

/// Returns all metadata of a container but the schema, which has a field of its own.
Metadata metadata_of(const safetensors::File& file) {
  Metadata metadata;
  for (const safetensors::MetadataEntry& entry : file.metadata())
    if (entry.key != schema::metadata_key) metadata.emplace(entry.key, entry.value);
  return metadata;
}

/// Prints the tensors of a format that says no more about them.
void print_tensors(std::ostream& out, const Document& document) {
  std::string_view separator;
  walk(document.root(), [&](const Place& place) {
    const Value& value = place.value();
    if (!value.has_tensor()) return Next::into;
    const std::string name = place.path().dotted();
    out << separator
        << fmt::format("{}: {{\"dtype\": \"{}\", \"shape\": {}}}", json::quote(name),
                       to_string(value.tensor().dtype()), to_string(value.tensor().shape()));
    separator = ", ";
    return Next::over;
  });
}

void print_tensors(std::ostream& out, const safetensors::File& file) {
  for (std::size_t i = 0; i < file.size(); ++i) {
    const safetensors::TensorInfo info = file.info(i);
    out << (i == 0 ? "" : ", ")
        << fmt::format("{}: {{\"dtype\": \"{}\", \"shape\": {}, \"data_offsets\": [{}, {}]",
                       json::quote(info.name), to_string(info.dtype), to_string(info.shape),
                       info.begin, info.end);
    if (file.file_count() > 1)
      out << ", \"file\": " << json::quote(file.path(i).filename().string());
    out << '}';
  }
}

}  // namespace

void print_json(std::ostream& out, const Document& document) {
  const auto* const file = std::any_cast<safetensors::File>(&document.content().container);
  out << "{\"metadata\": {";
  print_metadata(out, file != nullptr ? metadata_of(*file) : document.metadata());
  out << "}, \"schema\": "
      << (document.schema().empty() ? std::string("null") : json::in_ascii(document.schema()))
      << ", \"tensors\": {";
  if (file != nullptr) print_tensors(out, *file);
  else print_tensors(out, document);
  out << "}}\n";
}

}  // namespace safestructures::cli
