#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include <safestructures/formats/messagepack.hpp>
#include "formats/messagepack/cursor.hpp"
#include "formats/messagepack/encoder.hpp"
#include "formats/tree/binary_format.hpp"

namespace safestructures::inline v0::messagepack {
namespace {

/// Returns the name with which a map begins if it is short, otherwise nothing.
std::string_view first_name(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return {};
  std::size_t at = 1;
  if (byte(0) == static_cast<unsigned>(Mark::map16)) at = 3;
  else if (byte(0) == static_cast<unsigned>(Mark::map32)) at = 5;
  else if ((byte(0) & 0xF0U) != fixmap) return {};
  if (text.size() <= at || (byte(at) & 0xE0U) != fixstr) return {};
  return text.substr(at + 1, byte(at) & 0x1FU);
}

struct Spelling {
  using Cursor = messagepack::Cursor;
  using Encoder = messagepack::Encoder;
  static constexpr std::string_view name = "messagepack";
  static constexpr std::string_view title = "MessagePack";
  static constexpr std::array<std::string_view, 1> endings = {".msgpack"};
  static constexpr std::string_view begins = {};
  /// MessagePack has no signature; a map that begins with one of our marks is ours.
  static bool recognises(std::string_view head) {
    const std::string_view first = first_name(head);
    return first == tree::envelope_name || tree::mark_of(first).has_value();
  }
};

}  // namespace
}  // namespace safestructures::inline v0::messagepack

namespace safestructures::inline v0::formats {

const std::shared_ptr<const Format>& messagepack() {
  // Never destroyed: see all().
  static const auto& format = *new std::shared_ptr<const Format>(
      std::make_shared<const tree::BinaryFormat<safestructures::messagepack::Spelling>>());
  return format;
}

}  // namespace safestructures::inline v0::formats
