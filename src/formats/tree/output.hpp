/// \file
/// Into what the one writer of trees writes: JSON, MessagePack or CBOR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>
#include "formats/lossy.hpp"

namespace safestructures::inline v0::tree {

/// How what stands in brackets is set, where that is text: all on a line, or each on its own.
enum class Layout : std::uint8_t { inline_, lines };

/// Takes a tree value by value, front to back.
class Output {
 public:
  virtual ~Output() = default;

  /// What is written, in messages: `JSON`.
  [[nodiscard]] virtual std::string_view format() const noexcept = 0;
  /// Whether an object may have that key; all have strings, and an object that stands for something
  /// else nothing but strings.
  [[nodiscard]] virtual bool takes_key(const Value& key) const noexcept = 0;
  /// Whether bytes stand for themselves.
  [[nodiscard]] virtual bool has_bytes() const noexcept = 0;
  /// Whether the integer stands for itself.
  [[nodiscard]] virtual bool takes_integer(const Value& value) const = 0;

  virtual void null() = 0;
  virtual void boolean(bool value) = 0;
  virtual void integer(const Value& value) = 0;
  virtual void floating(double value) = 0;
  /// A part of a `$complex`.
  virtual void part(double value) = 0;
  /// \param trace where it is \throws Error `invalid_utf8`
  virtual void string(std::string_view text, const Trace* trace) = 0;

  /// What follows is that many members, each a key and a value.
  virtual void begin_object(std::size_t members, Layout layout) = 0;
  virtual void key(std::string_view name, const Trace* trace) = 0;
  /// Before a key that is no string.
  virtual void begin_key() = 0;
  virtual void end_object() = 0;
  /// What follows is that many items, each behind `begin_item`.
  virtual void begin_array(std::size_t items, Layout layout) = 0;
  virtual void begin_item() = 0;
  virtual void end_array() = 0;

  /// What a `$bytes` holds: elements of U8.
  virtual void bytes(detail::StoredElements& elements) = 0;
  /// How many members the elements of a tensor take; and they, with their names.
  [[nodiscard]] virtual std::size_t data_members(std::uint64_t bytes) const noexcept = 0;
  virtual void data(detail::StoredElements& elements) = 0;

  /// Passes on what was gathered, when it is much.
  virtual void pass_on() = 0;
  /// Passes on all of it. To be called once, as the last.
  virtual void finish() = 0;

 protected:
  Output() = default;
  Output(const Output&) = default;
  Output& operator=(const Output&) = default;
};

}  // namespace safestructures::inline v0::tree
