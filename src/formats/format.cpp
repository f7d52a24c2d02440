#include <safestructures/formats/format.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/burn.hpp>
#include <safestructures/formats/burnpack.hpp>
#include <safestructures/formats/cbor.hpp>
#include <safestructures/formats/gzip.hpp>
#include <safestructures/formats/json.hpp>
#include <safestructures/formats/messagepack.hpp>
#include <safestructures/formats/pytorch.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include "data/text/ending.hpp"
#include "formats/cbor/cursor.hpp"
#include "formats/messagepack/cursor.hpp"

namespace safestructures::inline v0 {

Format::~Format() = default;

std::optional<Value> Format::for_type(const Value&, const Content&, const LoadOptions&) const {
  return std::nullopt;
}

namespace formats {
namespace {

/// Returns the length of the longest extension of a format with which a name without `.gz` ends, or
/// 0.
std::size_t longest_ending(const Format& format, std::string_view inner_name) {
  std::size_t longest = 0;
  for (const std::string_view ending : format.extensions())
    if (detail::has_ending(inner_name, ending)) longest = std::max(longest, ending.size());
  return longest;
}

/// Returns the format with the longest extension with which a name ends, or null.
const std::shared_ptr<const Format>* find_by_name(std::string_view file_name) {
  const std::string_view inner_name = gzip::inner_name(file_name);
  const std::shared_ptr<const Format>* best = nullptr;
  std::size_t longest = 0;
  for (const std::shared_ptr<const Format>& format : all()) {
    const std::size_t length = longest_ending(*format, inner_name);
    if (length <= longest) continue;
    best = &format;
    longest = length;
  }
  return best;
}

/// Returns whether a file is one value of MessagePack or CBOR, from its first byte to its last.
template <class Cursor>
bool is_one_value(const Source& source) {
  const std::shared_ptr<const Source> borrowed(std::shared_ptr<const void>(), &source);
  try {
    Cursor cursor(borrowed, {.is_mapped = false});
    while (cursor.next() != binary::Token::end) continue;
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Returns whether a file is a map of MessagePack with the members of a record of Burn and no
/// others.
bool has_members_of_record(const Source& source) {
  constexpr std::array<std::string_view, 3> members = {"metadata", "item", "_b"};
  const std::shared_ptr<const Source> borrowed(std::shared_ptr<const void>(), &source);
  try {
    safestructures::messagepack::Cursor cursor(borrowed, {.is_mapped = false});
    std::size_t open = 0;
    for (binary::Token token = cursor.next(); token != binary::Token::end; token = cursor.next()) {
      if (open == 1 && cursor.is_key() &&
          std::ranges::find(members, cursor.string()) == members.end())
        return false;
      if (token == binary::Token::object || token == binary::Token::array) ++open;
      if (token == binary::Token::object_end || token == binary::Token::array_end) --open;
    }
    return true;
  } catch (const Error&) {
    return true;  // The reader of records says what is wrong.
  }
}

/// Returns whether a file is what its extension says although it begins like a file of another
/// format: MessagePack has no signature, nor has CBOR from other writers, and 123 is `{` in JSON.
/// Such files are rare, and in a file of another format the first value ends within a few bytes.
bool is_as_named(const Format& named, const Format& recognised, const Source& source) {
  // Indexes of all frameworks are alike: what their files are, only the name says.
  if (&named == pytorch().get())
    return &recognised == safestructures().get() &&
           detail::has_ending(gzip::inner_name(source.name()), ".index.json");
  // A record of Burn is MessagePack, and is recognised by its first bytes, which other maps may
  // have.
  if (recognised.name() == "burn")
    return &named == messagepack().get() && !has_members_of_record(source);
  if (&named == messagepack().get())
    return is_one_value<safestructures::messagepack::Cursor>(source);
  if (&named == cbor().get()) return is_one_value<safestructures::cbor::Cursor>(source);
  return false;
}

}  // namespace

std::span<const std::shared_ptr<const Format>> all() {
  // Records of Burn come before JSON, because some of them are JSON.
  using safestructures::burn::Encoding;
  // Never destroyed, like all static objects of this library: a program's own destructors, and
  // threads that still run at the end of main, may load and save.
  static const auto& formats =
      *new std::array<std::shared_ptr<const Format>, 9>{safestructures(),
                                                        burn(),
                                                        burn({.encoding = Encoding::bincode}),
                                                        burn({.encoding = Encoding::pretty_json}),
                                                        burnpack(),
                                                        pytorch(),
                                                        messagepack(),
                                                        cbor(),
                                                        json()};
  return formats;
}

const std::shared_ptr<const Format>& for_name(std::string_view file_name) {
  const auto* const format = find_by_name(file_name);
  return format != nullptr ? *format : all().front();
}

const std::shared_ptr<const Format>& for_content(const Source& source) {
  std::array<std::byte, Format::sniffed_bytes> room;
  const std::uint64_t size = source.size();
  const std::span head =
      std::span(room).first(static_cast<std::size_t>(std::min<std::uint64_t>(size, room.size())));
  source.read(0, head);
  const std::string_view name = gzip::inner_name(source.name());
  const std::shared_ptr<const Format>& named = for_name(source.name());
  for (const std::shared_ptr<const Format>& format : all()) {
    if (!format->recognises(head, size)) continue;
    if (format != named && is_as_named(*named, *format, source)) return named;
    // An index of shards is JSON, too: `.safetensors.index.json` is more specific than `.json`.
    const std::size_t length = longest_ending(*format, name);
    return length > 0 && longest_ending(*named, name) > length ? named : format;
  }
  return named;
}

}  // namespace formats
}  // namespace safestructures::inline v0
