/// \file
/// The reader of MessagePack.
#pragma once

#include <cstdint>
#include <memory>

#include "formats/binary/cursor.hpp"

namespace safestructures::inline v0::messagepack {

using binary::Token;

/// An extension is a token with its type as number, followed by bytes.
class Cursor : public binary::Cursor {
 public:
  Cursor(const std::shared_ptr<const Source>& source, const binary::CursorOptions& options)
      : binary::Cursor(source, options) {}

 protected:
  Token value() override;

 private:
  Token extension(std::uint64_t size);

  std::uint64_t extension_size_ = 0;  // Of the preceding token.
};

}  // namespace safestructures::inline v0::messagepack
