/// \file
/// The interface of the writers of Burn's encodings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <safestructures/data/path.hpp>
#include <safestructures/data/sink.hpp>
#include <safestructures/data/value.hpp>
#include "formats/burn/record.hpp"
#include "formats/lossy.hpp"

namespace safestructures::inline v0::burn {

/// The width of an integer.
struct IntegerType {
  unsigned bits = 64;
  bool is_signed = true;
};

/// The number of items of a sequence, and whether its type fixes it.
struct Length {
  std::size_t count = 0;
  bool is_fixed = false;
};

/// Takes a record value by value, front to back. Each encoding leaves out what it does not spell:
/// bincode has no names, and MessagePack no widths.
class Output {
 public:
  virtual ~Output() = default;

  /// Whether fields have names. If not, the C++ type must be known.
  [[nodiscard]] virtual bool is_named() const noexcept = 0;

  virtual void none() = 0;
  virtual void boolean(bool value) = 0;
  /// \param value must fit the type
  virtual void integer(const Value& value, IntegerType type) = 0;
  virtual void unsigned_integer(std::uint64_t value) = 0;
  /// \param dtype F32 or F64
  virtual void floating(double value, DType dtype) = 0;
  /// \throws Error `invalid_utf8`
  virtual void string(std::string_view text, const Trace* trace) = 0;

  /// Write an object's fields, each after its name.
  virtual void begin_struct(std::size_t fields) = 0;
  virtual void name(std::string_view name) = 0;
  virtual void end_struct() = 0;
  /// Write a map's entries, each after its key.
  virtual void begin_map(std::size_t entries) = 0;
  virtual void key(std::string_view key, const Trace* trace) = 0;
  virtual void end_map() = 0;
  virtual void begin_list(Length length) = 0;
  virtual void end_list() = 0;
  /// Writes the tag in front of the value of an optional, or none.
  virtual void option(bool has_value) = 0;
  /// Write what encloses the value of an enum's variant.
  virtual void begin_variant(std::uint64_t index, std::string_view name) = 0;
  virtual void end_variant() = 0;
  /// Writes the placeholder for a module's field that is neither a parameter nor a module.
  /// \param count the number of items if the field is an array, otherwise 0
  virtual void constant(std::size_t count) = 0;
  /// Writes the placeholder for a field that only marks the type (PhantomData).
  virtual void phantom() = 0;

  /// Writes the elements as bytes.
  virtual void bytes(detail::StoredElements& elements) = 0;
  /// Writes the elements as a list of numbers; F16 and BF16 as their bits.
  virtual void numbers(detail::StoredElements& elements, bool is_fixed) = 0;
  /// Writes a dtype, which that version must have, by name or by number.
  virtual void dtype(DType dtype) = 0;

  /// Passes the rest to the sink.
  virtual void finish() = 0;

 protected:
  Output() = default;
  Output(const Output&) = default;
  Output& operator=(const Output&) = default;
};

[[nodiscard]] std::unique_ptr<Output> messagepack_output(Sink& sink, Version version);
[[nodiscard]] std::unique_ptr<Output> bincode_output(Sink& sink, Version version);
/// \param indent spaces for each level; 0: everything on one line
[[nodiscard]] std::unique_ptr<Output> json_output(Sink& sink, Version version, unsigned indent);

}  // namespace safestructures::inline v0::burn
