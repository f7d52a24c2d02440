/// \file
/// What writes records of Burn in one of their encodings.
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

/// How many items a sequence has, and whether its type says so.
struct Length {
  std::size_t count = 0;
  bool is_fixed = false;
};

/// Takes a record value by value, front to back. What one encoding spells and another does not is
/// left to it: bincode has no names, and MessagePack no widths.
class Output {
 public:
  virtual ~Output() = default;

  /// Whether fields have names; else what the C++ type says must be given.
  [[nodiscard]] virtual bool is_named() const noexcept = 0;

  virtual void none() = 0;
  virtual void boolean(bool value) = 0;
  /// \param value fits the type
  virtual void integer(const Value& value, IntegerType type) = 0;
  virtual void unsigned_integer(std::uint64_t value) = 0;
  /// \param dtype F32 or F64
  virtual void floating(double value, DType dtype) = 0;
  /// \throws Error `invalid_utf8`
  virtual void string(std::string_view text, const Trace* trace) = 0;

  /// An object's fields, each after its name.
  virtual void begin_struct(std::size_t fields) = 0;
  virtual void name(std::string_view name) = 0;
  virtual void end_struct() = 0;
  /// A map's entries, each after its key.
  virtual void begin_map(std::size_t entries) = 0;
  virtual void key(std::string_view key, const Trace* trace) = 0;
  virtual void end_map() = 0;
  virtual void begin_list(Length length) = 0;
  virtual void end_list() = 0;
  /// Before what an optional holds, or none.
  virtual void option(bool has_value) = 0;
  /// Around the value of an enum's variant.
  virtual void begin_variant(std::uint64_t index, std::string_view name) = 0;
  virtual void end_variant() = 0;
  /// In place of what a module holds beside parameters and modules. \param count of the array that
  /// it is, or 0
  virtual void constant(std::size_t count) = 0;
  /// In place of what a record only says about its type.
  virtual void phantom() = 0;

  /// The elements, as bytes.
  virtual void bytes(detail::StoredElements& elements) = 0;
  /// The elements, as a list of numbers; of F16 and BF16 the bits.
  virtual void numbers(detail::StoredElements& elements, bool is_fixed) = 0;
  /// A dtype by name, or by number. \throws Error `unknown_dtype`
  virtual void dtype(DType dtype) = 0;

  /// Passes on what is left.
  virtual void finish() = 0;

 protected:
  Output() = default;
  Output(const Output&) = default;
  Output& operator=(const Output&) = default;
};

[[nodiscard]] std::unique_ptr<Output> messagepack_output(Sink& sink, Version version);
[[nodiscard]] std::unique_ptr<Output> bincode_output(Sink& sink, Version version);
/// \param indent blanks for each level; 0: on one line
[[nodiscard]] std::unique_ptr<Output> json_output(Sink& sink, Version version, unsigned indent);

}  // namespace safestructures::inline v0::burn
