#include "formats/other_kinds.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <safestructures/data/error.hpp>
#include "formats/safetensors/table.hpp"

namespace safestructures::inline v0 {
namespace {

constexpr std::string_view from_python =
    "Load it with the program that made it, and save it with Python's safetensors or "
    "safestructures";

struct Signature {
  std::string_view bytes;
  OtherKind kind;
};
constexpr std::array<Signature, 9> signatures = {{
    {"PK\x03\x04",
     {"a ZIP archive, like the files of NumPy (.npz), PyTorch (.pt, .pth) and Keras", from_python}},
    {"\x93NUMPY", {"a NumPy array (.npy)", from_python}},
    {"\x89HDF\r\n\x1A\n", {"an HDF5 file (.h5)", from_python}},
    {"\x80\x02", {"a Python pickle, like older files of PyTorch", from_python}},
    {"\x80\x04", {"a Python pickle", from_python}},
    {"\x80\x05", {"a Python pickle", from_python}},
    {"GGUF", {"a GGUF model", "Convert it with the tools of llama.cpp"}},
    {"\x28\xB5\x2F\xFD", {"a Zstandard archive", "Unpack it first, for example with unzstd"}},
    {"version https://git-lfs.github.com/",
     {"a pointer of Git LFS instead of the file", "Fetch the file itself with 'git lfs pull'"}},
}};

/// Returns whether a text is the beginning of a web page, as failed downloads leave it.
bool is_page(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  std::string head(text.substr(first, 14));
  std::ranges::transform(head, head.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return head.starts_with("<!doctype html") || head.starts_with("<html") ||
         head.starts_with("<head");
}

/// Returns whether the first bytes may be a header's length. A length of 640, for example, begins
/// like a pickle, and the reader says what is wrong with such a file. In other kinds of files,
/// except for some small pickles, the first eight bytes cannot be a header's length.
bool has_length(std::string_view head) {
  using safetensors::detail::largest_header, safetensors::detail::length_size;
  if (head.size() < length_size) return false;
  std::uint64_t length = 0;
  for (std::size_t i = length_size; i-- > 0;)
    length = length << 8U | static_cast<unsigned char>(head[i]);
  return length <= largest_header;
}

}  // namespace

std::optional<OtherKind> other_kind(const Source& source) {
  std::array<std::byte, 256> room;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(source.size(), room.size()));
  try {
    source.read(0, std::span(room).first(size));
  } catch (const Error&) {
    return std::nullopt;  // What could not be read before cannot be read here either.
  }
  const std::string_view head(reinterpret_cast<const char*>(room.data()), size);
  if (has_length(head)) return std::nullopt;
  for (const auto& [bytes, kind] : signatures)
    if (head.starts_with(bytes)) return kind;
  if (is_page(head))
    return OtherKind{"a web page (HTML)", "The download may have failed: read the page"};
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  // The reader of an index of a checkpoint says what is wrong with it.
  const bool may_be_json = !source.name().ends_with(".json");
  if (may_be_json && first != std::string_view::npos && (head[first] == '{' || head[first] == '['))
    return OtherKind{"JSON",
                     "Only the .index.json of a checkpoint in several files can be opened "
                     "as one; load other JSON with LoadOptions::format = formats::json()"};
  return std::nullopt;
}

}  // namespace safestructures::inline v0
