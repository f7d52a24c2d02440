/// \file
/// The interface through which the writer of trees writes JSON, MessagePack or CBOR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>
#include "formats/lossy.hpp"

namespace safestructures::inline v0::tree {

/// The layout of bracketed items in a text format: all on one line, or each on its own.
enum class Layout : std::uint8_t { inline_, lines };

/// Takes a tree value by value, front to back.
class Output {
 public:
  virtual ~Output() = default;

  /// Returns the format's name in messages, such as `JSON`.
  [[nodiscard]] virtual std::string_view format() const noexcept = 0;
  /// Returns whether an object may have that key. Every format takes strings, and an object that
  /// stands for something else has only strings.
  [[nodiscard]] virtual bool takes_key(const Value& key) const noexcept = 0;
  /// Returns whether the format has bytes of its own.
  [[nodiscard]] virtual bool has_bytes() const noexcept = 0;
  /// Returns whether the integer can be written as it is.
  [[nodiscard]] virtual bool takes_integer(const Value& value) const = 0;

  virtual void null() = 0;
  virtual void boolean(bool value) = 0;
  virtual void integer(const Value& value) = 0;
  virtual void floating(double value) = 0;
  /// Writes a part of a `$complex`.
  virtual void part(double value) = 0;
  /// \param trace where the string is \throws Error `invalid_utf8`
  virtual void string(std::string_view text, const Trace* trace) = 0;

  /// Begins an object. That many members follow, each a key and a value.
  virtual void begin_object(std::size_t members, Layout layout) = 0;
  virtual void key(std::string_view name, const Trace* trace) = 0;
  /// Must be called before a key that is not a string.
  virtual void begin_key() = 0;
  virtual void end_object() = 0;
  /// Begins an array. That many items follow, each after `begin_item`.
  virtual void begin_array(std::size_t items, Layout layout) = 0;
  virtual void begin_item() = 0;
  virtual void end_array() = 0;

  /// Writes the content of a `$bytes`: elements of U8.
  virtual void bytes(detail::StoredElements& elements) = 0;
  /// Returns how many members the elements of a tensor take; `data` writes them with their names.
  [[nodiscard]] virtual std::size_t data_members(std::uint64_t bytes) const noexcept = 0;
  virtual void data(detail::StoredElements& elements) = 0;

  /// Passes on what was gathered, if it is much.
  virtual void pass_on() = 0;
  /// Passes on everything. Must be called once, last.
  virtual void finish() = 0;

 protected:
  Output() = default;
  Output(const Output&) = default;
  Output& operator=(const Output&) = default;
};

}  // namespace safestructures::inline v0::tree
