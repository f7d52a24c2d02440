#include <safestructures/formats/safestructures/format.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/error.hpp>
#include "data/text/printable.hpp"
#include "formats/other_kinds.hpp"
#include "formats/safestructures/read.hpp"
#include "formats/safestructures/write.hpp"

namespace safestructures::inline v0::formats {
namespace {

constexpr std::array<std::string_view, 2> endings = {".safetensors", ".safetensors.index.json"};

constexpr std::string_view blanks = " \t\r\n";

/// Returns whether the file begins with a length that it can hold, followed by an object. JSON
/// allows blanks before it, perhaps more than the head has.
bool is_container(std::span<const std::byte> head, std::uint64_t size) {
  constexpr std::size_t length_size = 8;
  constexpr std::uint64_t largest_header = 100'000'000;
  if (head.size() <= length_size) return false;
  std::uint64_t length = 0;
  for (std::size_t i = length_size; i-- > 0;)
    length = length << 8U | std::to_integer<std::uint64_t>(head[i]);
  if (length > largest_header || length > size - length_size) return false;
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const std::string_view header = text.substr(length_size, length);
  const std::size_t first = header.find_first_not_of(blanks);
  if (first == std::string_view::npos) return header.size() < length;
  return header[first] == '{';
}

/// Returns the position of the closing quote of the string that opens at `first`, or `npos`.
std::size_t last_quote(std::string_view text, std::size_t first) {
  std::size_t at = text.find_first_of("\"\\", first + 1);
  while (at != std::string_view::npos && text[at] == '\\') at = text.find_first_of("\"\\", at + 2);
  return at;
}

/// Returns whether the name that ends at `quote` is followed by an object.
bool is_name_of_object(std::string_view text, std::size_t quote) {
  const std::size_t colon = text.find_first_not_of(blanks, quote + 1);
  if (colon == std::string_view::npos || text[colon] != ':') return false;
  const std::size_t value = text.find_first_not_of(blanks, colon + 1);
  return value != std::string_view::npos && text[value] == '{';
}

/// Returns whether a file is the index of a checkpoint in several files, as Hugging Face writes it:
/// an object with a `weight_map` that is an object, too. The word alone proves nothing: any JSON
/// may have it in a text. Marked objects of our own files begin with `$`, as in `$struct`, whatever
/// their fields are called.
bool is_index(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  std::size_t depth = 0;
  char before = '\0';  // The last character before the current one that is not a blank.
  for (std::size_t at = text.find_first_not_of(blanks); at < text.size();
       at = text.find_first_not_of(blanks, at + 1)) {
    const char c = text[at];
    if (depth == 0 && c != '{') return false;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return false;
    if (c == '"') {
      const std::size_t quote = last_quote(text, at);
      if (quote == std::string_view::npos) return false;
      const std::string_view string = text.substr(at + 1, quote - at - 1);
      const bool is_name = depth == 1 && (before == '{' || before == ',');
      if (is_name && before == '{' && string.starts_with('$')) return false;
      if (is_name && string == "weight_map") return is_name_of_object(text, quote);
      at = quote;
    }
    before = c;
  }
  return false;
}

/// Refuses a name that would make readers take the file for an index.
void refuse_name_of_index(const std::string& name) {
  if (!name.ends_with(".json")) return;
  throw Error(ErrorCode::invalid_argument, "the name is that of an index of several files",
              {.expected = "a name such as m.safetensors",
               .found = "'" + detail::printable(name) + "'",
               .advice = "Choose another name, or split what is saved (SaveOptions::shard_size, or "
                         "convert --shard-size in the tool)"});
}

class SafestructuresFormat final : public Format {
 public:
  std::string_view name() const noexcept override { return "safestructures"; }
  std::span<const std::string_view> extensions() const noexcept override { return endings; }
  bool recognises(std::span<const std::byte> head, std::uint64_t size) const override {
    return is_container(head, size) || is_index(head);
  }
  Content read(const std::shared_ptr<const Source>& source,
               const LoadOptions& options) const override {
    try {
      return safestructures_format::read(source, options);
    } catch (const Error& error) {
      if (const auto other = other_kind(*source))
        throw Error(ErrorCode::invalid_header, "the file has another format",
                    {.file = source->name(),
                     .expected = "a safetensors file",
                     .found = std::string(other->what),
                     .advice = std::string(other->advice)});
      throw error.with_file(source->name());
    }
  }
  SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const override {
    if (options.shard_size == 0) refuse_name_of_index(sink.file_name());
    return safestructures_format::write(root, sink, options);
  }
};

}  // namespace

const std::shared_ptr<const Format>& safestructures() {
  // Never destroyed: see all().
  static const auto& format =
      *new std::shared_ptr<const Format>(std::make_shared<const SafestructuresFormat>());
  return format;
}

}  // namespace safestructures::inline v0::formats
