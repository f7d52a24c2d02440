#include <array>
#include <memory>
#include <string_view>

#include <safestructures/formats/cbor.hpp>
#include "formats/cbor/cursor.hpp"
#include "formats/cbor/encoder.hpp"
#include "formats/tree/binary_format.hpp"

namespace safestructures::inline v0::cbor {
namespace {

struct Spelling {
  using Cursor = cbor::Cursor;
  using Encoder = cbor::Encoder;
  static constexpr std::string_view name = "cbor";
  static constexpr std::string_view title = "CBOR";
  static constexpr std::array<std::string_view, 1> endings = {".cbor"};
  /// The tag `self_described`.
  static constexpr std::string_view begins = "\xD9\xD9\xF7";
  static bool recognises(std::string_view head) { return head.starts_with(begins); }
};

}  // namespace
}  // namespace safestructures::inline v0::cbor

namespace safestructures::inline v0::formats {

const std::shared_ptr<const Format>& cbor() {
  // Never destroyed: see all().
  static const auto& format = *new std::shared_ptr<const Format>(
      std::make_shared<const tree::BinaryFormat<safestructures::cbor::Spelling>>());
  return format;
}

}  // namespace safestructures::inline v0::formats
