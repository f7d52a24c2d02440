/// \file
/// The interface through which the reader of trees reads JSON, MessagePack or CBOR.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <safestructures/data/path.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include "formats/tree/names.hpp"
#include "formats/tree/token.hpp"

namespace safestructures::inline v0::tree {

/// Reads `shape` and `data` of a tensor, in any order. Memory is allocated for the data that is
/// there, never for what the shape announces.
class Elements {
 public:
  virtual ~Elements() = default;

  /// Reads `shape`; the input is at its value.
  virtual void read_shape() = 0;
  /// Reads `data`; the input is at its value.
  virtual void read_data() = 0;
  /// Returns the tensor. \throws Error if shape or data are missing or do not match.
  [[nodiscard]] virtual Tensor finish() = 0;

 protected:
  Elements() = default;
  Elements(const Elements&) = default;
  Elements& operator=(const Elements&) = default;
};

/// Goes from token to token and checks nesting on the way. Never allocates memory for what is only
/// announced. Must not be used after an Error.
class Input {
 public:
  virtual ~Input() = default;

  /// Returns the format's name in messages, such as `JSON`.
  [[nodiscard]] virtual std::string_view format() const noexcept = 0;
  /// Returns whether the format is text, which has no bytes, no infinite numbers, and only text as
  /// keys.
  [[nodiscard]] virtual bool is_text() const noexcept = 0;
  /// Returns the size in bytes.
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  /// Returns whether an object that begins with that mark stands for something else.
  [[nodiscard]] virtual bool knows(Mark mark) const noexcept = 0;

  /// Goes on to the next token. An extension is followed by its value.
  /// \throws Error for malformed input, with the offset
  virtual Token next() = 0;
  [[nodiscard]] Token token() const noexcept { return token_; }
  /// Returns where the current token begins.
  [[nodiscard]] virtual std::uint64_t offset() const noexcept = 0;

  // The value of the current token; strings are valid until the next one.
  [[nodiscard]] virtual bool boolean() const = 0;
  /// Returns the value of a number or an extension. \throws Error `limit_exceeded`, `out_of_range`
  [[nodiscard]] virtual Value number() const = 0;
  [[nodiscard]] virtual std::string_view string() = 0;
  /// Returns a part of a `$complex`, or a `$float`; nothing if the token is neither.
  [[nodiscard]] virtual std::optional<double> part() = 0;
  /// Returns the content of a `$bytes` or of a token `bytes` as U8 of one dimension; nothing if the
  /// token is neither.
  [[nodiscard]] virtual std::optional<Tensor> bytes(const Trace* trace) = 0;
  /// Returns a reader for the elements of a tensor. \param trace the place of the tensor; must
  /// outlive the result
  [[nodiscard]] virtual std::unique_ptr<Elements> elements(DType dtype, const Trace* trace) = 0;

 protected:
  Input() = default;
  Input(const Input&) = default;
  Input& operator=(const Input&) = default;

  Token token_ = Token::end;
};

}  // namespace safestructures::inline v0::tree
