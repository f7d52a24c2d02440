/// \file
/// The reader of CBOR (RFC 8949).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "formats/binary/cursor.hpp"

namespace safestructures::inline v0::cbor {

using binary::Token;

/// The tag that only says that this is CBOR.
inline constexpr std::uint64_t self_described = 55799;

/// A tag is an extension with its number, followed by the tagged value. Tags of big integers are
/// read as numbers, and the tag of CBOR itself is passed over. `undefined` is null.
///
/// nlohmann/json, which reads burnpack's descriptions, supports neither non-text keys nor tags nor
/// negative integers of 64 bits, copies what it reads, and recurses for each level.
class Cursor final : public binary::Cursor {
 public:
  Cursor(const std::shared_ptr<const Source>& source, const binary::CursorOptions& options)
      : binary::Cursor(source, options) {}

 protected:
  Token value() override;
  bool ends() override;

 private:
  [[noreturn]] void fail_at(unsigned byte) const;
  std::uint64_t argument(unsigned byte);
  Token negative(std::uint64_t bits);
  Token big(bool is_negative);
  /// Reads a text or bytes in pieces. \param kind the major type of the pieces
  Token pieces(unsigned kind);
  Token simple(unsigned byte);

  std::string joined_text_;
};

}  // namespace safestructures::inline v0::cbor
