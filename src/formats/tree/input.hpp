/// \file
/// From what the one reader of trees reads: JSON, MessagePack or CBOR.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include "formats/tree/names.hpp"
#include "formats/tree/token.hpp"

namespace safestructures::inline v0::tree {

/// Reads `shape` and `data` of a tensor, in any order. Memory is taken for what is there, never for
/// what the shape announces.
class Elements {
 public:
  virtual ~Elements() = default;

  /// Reads `shape`, whose value the input stands on.
  virtual void read_shape() = 0;
  /// Reads `data`, whose value the input stands on.
  virtual void read_data() = 0;
  /// The tensor. \throws Error where shape or data are missing or do not fit each other.
  [[nodiscard]] virtual Tensor finish() = 0;

 protected:
  Elements() = default;
  Elements(const Elements&) = default;
  Elements& operator=(const Elements&) = default;
};

/// Goes from token to token; nesting is checked on the way. Of nothing that is only announced is
/// memory taken. After an Error it is of no use.
class Input {
 public:
  virtual ~Input() = default;

  /// What is read, in messages: `JSON`.
  [[nodiscard]] virtual std::string_view format() const noexcept = 0;
  /// Whether it is text: without bytes, infinite numbers, and keys that are no text.
  [[nodiscard]] virtual bool is_text() const noexcept = 0;
  /// How many bytes it has.
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  /// Whether an object that begins with that mark stands for something else.
  [[nodiscard]] virtual bool knows(Mark mark) const noexcept = 0;

  /// Goes on. An extension is followed by its value.
  /// \throws Error what is wrong, with the offset
  virtual Token next() = 0;
  [[nodiscard]] Token token() const noexcept { return token_; }
  /// Where the current token begins.
  [[nodiscard]] virtual std::uint64_t offset() const noexcept = 0;

  // Of the current token; strings are valid until the next one.
  [[nodiscard]] virtual bool boolean() const = 0;
  /// Of a number or an extension. \throws Error `limit_exceeded`, `out_of_range`
  [[nodiscard]] virtual Value number() const = 0;
  [[nodiscard]] virtual std::string_view string() = 0;
  /// A part of a `$complex`, or a `$float`; nothing for what is none.
  [[nodiscard]] virtual std::optional<double> part() = 0;
  /// What a `$bytes` holds, as U8 of one dimension; nothing for what is none. Also of a token
  /// `bytes`.
  [[nodiscard]] virtual std::optional<Tensor> bytes(const Trace* trace) = 0;
  /// \param trace the place of the tensor; must outlive what is returned
  [[nodiscard]] virtual std::unique_ptr<Elements> elements(DType dtype, const Trace* trace) = 0;

 protected:
  Input() = default;
  Input(const Input&) = default;
  Input& operator=(const Input&) = default;

  Token token_ = Token::end;
};

}  // namespace safestructures::inline v0::tree
