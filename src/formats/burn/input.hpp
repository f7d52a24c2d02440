/// \file
/// What records in MessagePack and in JSON have in common: tokens, front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/shape.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/data/value.hpp>
#include "formats/burn/tensor_data.hpp"

namespace safestructures::inline v0::burn {

enum class Token : std::uint8_t {
  null,
  boolean,
  number,
  string,
  bytes,
  array,
  array_end,
  map,
  map_end,
  name,  ///< The key of an entry, which is text.
  end,
};

/// A token in a message: `a map`, `a number`, `its end`.
[[nodiscard]] std::string_view describe(Token token) noexcept;

/// What an array is expected to hold.
enum class Expected : std::uint8_t {
  bytes,    ///< integers from 0 to 255: U8
  numbers,  ///< I64, F32, F64 (where null is NaN) or BOOL
};

/// An array of numbers or of booleans, packed.
struct Numbers {
  DType dtype = DType::I64;
  std::uint64_t count = 0;
  std::vector<std::byte> bytes;
};

/// A range of the source.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// A tensor as Burn 0.14 and later spell it: `{bytes, shape, dtype}`, alone or as the parameter in
/// `{id, param}`.
struct TensorData {
  std::optional<std::string> id;
  ByteRange bytes;
  Shape shape;
  StoredType type;
};

/// Goes from token to token; nesting is checked on the way. Of nothing that is only announced is
/// memory taken. After an Error it is of no use.
class Input {
 public:
  virtual ~Input() = default;

  /// \throws Error what is wrong with the bytes, with the offset
  virtual Token next() = 0;
  [[nodiscard]] Token token() const noexcept { return token_; }
  /// Where the current token begins.
  [[nodiscard]] virtual std::uint64_t offset() const noexcept = 0;

  // Of the current token; strings are valid until the next one.
  [[nodiscard]] virtual bool boolean() const = 0;
  /// \throws Error `limit_exceeded` for an integer of more than `Limits::digits`
  [[nodiscard]] virtual Value number() const = 0;
  [[nodiscard]] virtual std::string_view string() = 0;
  [[nodiscard]] virtual ByteRange bytes() const = 0;

  /// The array that begins here, where it holds nothing but what is expected: then the current
  /// token is its end. Otherwise nothing, and it is read token by token.
  [[nodiscard]] virtual std::optional<Numbers> numbers(Expected expected) = 0;

  /// The tensor that the map which begins here stands for, where it is spelled byte for byte as
  /// Burn does: then the current token is the map's end. Otherwise nothing, and it is read token by
  /// token. Records are little else: 10,000 parameters load in half the time.
  [[nodiscard]] virtual std::optional<TensorData> tensor_data() { return std::nullopt; }

  /// Goes on to the last token of the value that begins here.
  void skip();

 protected:
  Input() = default;
  Input(const Input&) = default;
  Input& operator=(const Input&) = default;

  Token token_ = Token::end;
};

/// A record in named MessagePack. \param source is read from in pieces unless it is in memory, or
/// to be mapped
[[nodiscard]] std::unique_ptr<Input> messagepack_input(const std::shared_ptr<const Source>& source,
                                                       bool is_mapped, const Limits& limits);

/// A record in JSON. The text must stay valid.
[[nodiscard]] std::unique_ptr<Input> json_input(std::string_view text, const Limits& limits);

}  // namespace safestructures::inline v0::burn
