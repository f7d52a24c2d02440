/// \file
/// The common interface to records in MessagePack and in JSON: tokens, front to back.
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
  name,  ///< The key of an entry; always text.
  end,
};

/// Returns the name of a token for messages: `a map`, `a number`, `its end`.
[[nodiscard]] std::string_view describe(Token token) noexcept;

/// The items that an array is expected to hold.
enum class Expected : std::uint8_t {
  bytes,    ///< Integers from 0 to 255, as U8.
  numbers,  ///< Numbers or booleans, as I64, F32, F64 (where null is NaN) or BOOL.
};

/// A packed array of numbers or of booleans.
struct Numbers {
  DType dtype = DType::I64;
  std::uint64_t count = 0;
  std::vector<std::byte> bytes;
  /// Of F64, those that are spelled as an integer or as null, as far as the last of them.
  std::vector<bool> others;
};

/// A range of the source.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// A tensor as spelled by Burn 0.14 and later: `{bytes, shape, dtype}`, alone or as `param` in
/// `{id, param}`.
struct TensorData {
  std::optional<std::string> id;
  ByteRange bytes;
  Shape shape;
  StoredType type;
};

/// Walks from token to token and checks nesting on the way. Memory is never allocated for contents
/// that are announced but absent. Must not be used after it has thrown an Error.
class Input {
 public:
  virtual ~Input() = default;

  /// \throws Error for malformed bytes, with the offset
  virtual Token next() = 0;
  [[nodiscard]] Token token() const noexcept { return token_; }
  /// The offset at which the current token begins.
  [[nodiscard]] virtual std::uint64_t offset() const noexcept = 0;

  // The content of the current token; strings are valid until the next one.
  [[nodiscard]] virtual bool boolean() const = 0;
  /// \throws Error `limit_exceeded` for an integer of more than `Limits::digits`
  [[nodiscard]] virtual Value number() const = 0;
  [[nodiscard]] virtual std::string_view string() = 0;
  [[nodiscard]] virtual ByteRange bytes() const = 0;

  /// Reads the array that begins here if it holds nothing but what is expected: the current token
  /// is then its end. Otherwise returns null, and the array must be read token by token.
  [[nodiscard]] virtual std::optional<Numbers> numbers(Expected expected) = 0;

  /// Reads the tensor that the map which begins here stands for, if it is spelled byte for byte as
  /// Burn spells it: the current token is then the end of the map. Otherwise returns null, and the
  /// map must be read token by token. Records hold little else: 10,000 parameters load in half the
  /// time.
  [[nodiscard]] virtual std::optional<TensorData> tensor_data() { return std::nullopt; }

  /// Moves to the last token of the value that begins here.
  void skip();

 protected:
  Input() = default;
  Input(const Input&) = default;
  Input& operator=(const Input&) = default;

  Token token_ = Token::end;
};

/// Opens a record in named MessagePack.
/// \param source read in pieces, unless it is in memory or is to be mapped
[[nodiscard]] std::unique_ptr<Input> messagepack_input(const std::shared_ptr<const Source>& source,
                                                       bool is_mapped, const Limits& limits);

/// Opens a record in JSON. The text must stay valid.
[[nodiscard]] std::unique_ptr<Input> json_input(std::string_view text, const Limits& limits);

}  // namespace safestructures::inline v0::burn
