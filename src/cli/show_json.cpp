#include "cli/show_json.hpp"

#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <safestructures/formats/schema.hpp>
#include "data/printable.hpp"

namespace safestructures::cli {
namespace {

/// Escapes what is beyond ASCII, and DEL; the rest of the JSON text stays as it is.
std::string in_ascii(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  while (!json.empty()) {
    const detail::CodePoint code = detail::first_code_point(json);
    if (code.value < 0x7f) {
      text += static_cast<char>(code.value);
    } else if (code.value < 0x10000) {
      text += fmt::format("\\u{:04x}", code.value);
    } else {
      const std::uint32_t rest = code.value - 0x10000;
      text += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
    }
    json.remove_prefix(code.size);
  }
  return text;
}

/// A string in quotes. The container has checked that its names and metadata are UTF-8.
std::string quoted(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else escaped += c;
  }
  return in_ascii(escaped + '"');
}

void print_metadata(std::ostream& out, const safetensors::File& file) {
  std::string_view separator;
  for (const safetensors::MetadataEntry& entry : file.metadata()) {
    if (entry.key == schema::metadata_key) continue;
    out << separator << quoted(entry.key) << ": " << quoted(entry.value);
    separator = ", ";
  }
}

void print_tensors(std::ostream& out, const safetensors::File& file) {
  for (std::size_t i = 0; i < file.size(); ++i) {
    const safetensors::TensorInfo info = file.info(i);
    out << (i == 0 ? "" : ", ")
        << fmt::format("{}: {{\"dtype\": \"{}\", \"shape\": {}, \"data_offsets\": [{}, {}]",
                       quoted(info.name), to_string(info.dtype), to_string(info.shape), info.begin,
                       info.end);
    if (file.file_count() > 1) out << ", \"file\": " << quoted(file.path(i).filename().string());
    out << '}';
  }
}

}  // namespace

void print_json(std::ostream& out, const Document& document) {
  out << "{\"metadata\": {";
  print_metadata(out, document.file());
  out << "}, \"schema\": " << (document.has_schema() ? in_ascii(document.schema()) : "null")
      << ", \"tensors\": {";
  print_tensors(out, document.file());
  out << "}}\n";
}

}  // namespace safestructures::cli
